package identity

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// asked are the calls of Config.Review: "TOKEN of CLUSTER".
type asked []string

// take returns the calls since the last one.
func (a *asked) take() []string {
	all := *a
	*a = nil
	return all
}

// TestNamedCluster: a program names the cluster of a token in a header, and a browser in a field. The
// session of a browser continues with the cluster that identified the person.
func TestNamedCluster(t *testing.T) {
	var calls asked
	refusal := &api.Problem{Type: api.ProblemSignIn, Title: "Name it", Status: http.StatusUnauthorized, Detail: "Name the cluster."}
	f := newFixture(t, Config{Listen: ":8790", Several: true, Audience: "https://v.example.com", Review: func(_ context.Context, token, cluster string) (Person, bool, error) {
		calls = append(calls, token+" of "+cluster)
		if cluster == "" {
			return Person{}, false, refusal
		}
		return Person{Name: "anna", Cluster: cluster, Groups: []string{"ops"}, SignIn: api.SignInToken}, true, nil
	}})
	for range 2 * maxFailures { // a token without a cluster is no guess
		if p := f.problem(request("GET", "/", "Authorization", "Bearer opaque")); p.Detail != refusal.Detail || p.Status != http.StatusUnauthorized {
			t.Fatalf("without a name: got %+v, want the refusal", p)
		}
	}
	calls.take()
	for _, cluster := range []string{"prod", "lab", "prod"} {
		if s := f.want(request("GET", "/", "Authorization", "Bearer opaque", api.HeaderCluster, cluster)); s.Name != "anna" {
			t.Errorf("got %+v, want anna of %s", s, cluster)
		}
	}
	if got, want := calls.take(), []string{"opaque of prod", "opaque of lab"}; !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q: the answer of a cluster is cached for that cluster only", got, want)
	}
	if page := f.send(request("GET", "/auth/")).Body.String(); !strings.Contains(page, `name="cluster"`) || !strings.Contains(page, "kubectl create token NAME --audience https://v.example.com<") {
		t.Errorf("the sign-in page has no field for the cluster, or no audience: %s", page)
	}
	if methods := f.send(request("GET", "/auth/methods")).Body.String(); !strings.Contains(methods, `"audience":"https://v.example.com"`) {
		t.Errorf("got the methods %s, want the audience", methods)
	}
	if w := f.paste("pasted"); w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), refusal.Detail) {
		t.Errorf("a form without a name: got status %d and %s, want the refusal", w.Code, w.Body)
	}
	calls.take()
	r := request("POST", "/auth/token", "Content-Type", "application/x-www-form-urlencoded")
	r.Body = io.NopCloser(strings.NewReader("token=pasted&cluster=lab&to=/"))
	cookie := cookies(f.send(r))
	f.auth.reviewer.known = newReviewer(nil).known
	f.want(request("GET", "/", "Cookie", cookie))
	if got, want := calls.take(), []string{"pasted of lab", "pasted of lab"}; !slices.Equal(got, want) {
		t.Errorf("the form and the session asked %q, want %q", got, want)
	}
}

// TestTokensOfTheProvider: a token of the provider that is not accepted goes to no cluster, because
// it may be good elsewhere, unless the person names the cluster.
func TestTokensOfTheProvider(t *testing.T) {
	p := newIDP(t)
	var calls asked
	f := p.portal(nil)
	f.auth.reviewer = newReviewer(func(_ context.Context, token, cluster string) (Person, bool, error) {
		calls = append(calls, cluster)
		return Person{Name: "anna", Cluster: "prod"}, cluster != "", nil
	})
	p.claims["aud"] = "another program"
	token := p.token(nil)
	if got := f.status("GET", "/", "Authorization", "Bearer "+token); got != http.StatusUnauthorized || len(calls) > 0 {
		t.Errorf("got status %d, and asked %q; want 401 and no question", got, calls)
	}
	if got := f.status("GET", "/", "Authorization", "Bearer "+token, api.HeaderCluster, "prod"); got != http.StatusOK || !slices.Equal(calls, []string{"prod"}) {
		t.Errorf("with a name: got status %d, and asked %q; want 200 and prod", got, calls)
	}
}

// TestNamesOfClusters: an API server cannot give a person a name or a group that breaks lines, or
// more groups than others may have.
func TestNamesOfClusters(t *testing.T) {
	for name, p := range map[string]Person{
		"a name": {Name: "anna\nlevel=ERROR"}, "a group": {Name: "anna", Groups: []string{"ops\r\nX: y"}},
		"a long name": {Name: strings.Repeat("x", maxName+1)}, "many groups": {Name: "anna", Groups: slices.Repeat([]string{"g"}, maxGroups+1)},
	} {
		f := newFixture(t, Config{Listen: ":8790", Review: func(context.Context, string, string) (Person, bool, error) { return p, true, nil }})
		if got := f.status("GET", "/", "Authorization", "Bearer token"); got != http.StatusUnauthorized {
			t.Errorf("%s: got status %d, want 401", name, got)
		}
	}
}

// TestID: people of equal names are different people, unless the same cluster, or the portal itself,
// has identified them. A long name keeps its difference where tables cut it.
func TestID(t *testing.T) {
	long := strings.Repeat("é", maxName/2)
	people := []Person{
		{Name: "anna"},
		{Name: "anna", Cluster: "prod"},
		{Name: "anna", Cluster: "lab"},
		{Name: "b:anna", Cluster: "a"},
		{Name: "anna", Cluster: "a:b"},
		{Name: "anna", Cluster: "a%3Ab"},
		{Name: long, Cluster: "prod"},
		{Name: long + "x", Cluster: "prod"},
		{Name: long, Cluster: "lab"},
		{Name: long},
	}
	seen := map[string]Person{}
	for _, p := range people {
		id := p.ID()
		if other, ok := seen[id]; ok || len(id) > maxID || !p.Is(id) {
			t.Errorf("%+v and %+v have the ID %q of %d bytes; want different ones of %d at most", p, other, id, len(id), maxID)
		}
		seen[id] = p
	}
	anna := Person{Name: "anna", Names: []string{"anna"}, Cluster: "prod"}
	if anna.Is("anna") || anna.Owns("lab", "anna") || !anna.Owns("prod", "anna") || anna.Owns("prod", "") || (Person{}).ID() != "" {
		t.Error("a name of one cluster counts elsewhere, or not there")
	}
	if _, err := New(Config{Tokens: tokens(t, "tokens:\n- name: cluster:prod:anna\n  token: "+secret+"\n")}); err == nil {
		t.Error("a token of the file has the name of a person of a cluster")
	}
	if !reserved("cluster:prod:anna") {
		t.Error("a provider or a proxy may name a person of a cluster")
	}
}
