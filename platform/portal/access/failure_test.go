package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// TestSecretBindings: if bindings cannot be read, only the namespaces that requests name are
// reviewed.
func TestSecretBindings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.secret = true
		w.namespace("ml")
		w.namespace("vision")
		w.allow("anna list jobs ml", true)
		a := w.follow(Config{})
		if s := w.sight(a, as(t, "anna")); s.Sees("prod", "ml") || len(w.asked()) != 1 {
			t.Error("a namespace that no request named is visible")
		}
		if s := w.sight(a, as(t, "anna"), "ml", "other", "", strings.Repeat("x", 100)); !s.Sees("prod", "ml") || s.Sees("prod", "other") {
			t.Error("the named namespace is hidden")
		}
		if got := w.asked(); !slices.Equal(got, []string{"", "", "ml", "ml", "other", "other"}) {
			t.Errorf("reviewed %q, want all namespaces, ml and other, for jobs and for pods", got)
		}
		if s := w.sight(a, as(t, "anna")); !s.Sees("prod", "ml") {
			t.Error("a namespace is forgotten")
		}
		w.allow("anna list jobs vision", true)
		if s := w.sight(a, WithNamespaces(WithNamespaces(as(t, "anna"), "vision"), "public")); !s.Sees("prod", "vision") || s.Sees("prod", "public") {
			t.Error("a namespace of the context is not reviewed")
		}
		for n := range 200 {
			w.sight(a, as(t, "anna"), fmt.Sprint("n", n))
		}
		w.asked()
		if w.sight(a, as(t, "anna"), "last"); len(w.asked()) != maxAsked+1 {
			t.Error("the number of named namespaces is not bounded")
		}
	})
}

// TestOutage: while an API server does not answer, its last answer counts for 60 s. Then the person
// gets a clear problem, and nothing new is shown.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.bind("ml", "User", "anna")
		w.allow("anna list jobs ml", true)
		a := w.follow(Config{})
		began := time.Now()
		w.sight(a, as(t, "anna"))
		fault, err := w.Inject(apitest.Fault{
			Match: apitest.Match{Resource: "subjectaccessreviews"}, Times: apitest.Always,
			Action: apitest.Respond(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: "etcd at 127.0.0.1 is away"}),
		})
		if err != nil {
			t.Fatal(err)
		}
		for {
			s, err := a.Sight(as(t, "anna"))
			if err != nil {
				if took := time.Since(began); took < 55*time.Second || took > 61*time.Second || !isProblem(err, api.ProblemCluster) || strings.Contains(err.Error(), "127.0.0.1") {
					t.Errorf("after %v: %v", took, err)
				}
				break
			}
			if !s.Sees("prod", "ml") || time.Since(began) > time.Minute {
				t.Fatalf("after %v: %+v", time.Since(began), s)
			}
			<-s.Expired()
		}
		if _, err := a.Sight(as(t, "ben")); !isProblem(err, api.ProblemCluster) {
			t.Errorf("a new person: got %v, want a problem of the cluster", err)
		}
		if err := a.May(as(t, "anna"), Right{Cluster: "prod", Verb: "create", Group: "batch", Resource: "jobs", Namespace: "ml"}); !isProblem(err, api.ProblemCluster) {
			t.Errorf("a write: got %v, want a problem of the cluster", err)
		}
		fault.Release()
		if s := w.sight(a, as(t, "anna")); !s.Sees("prod", "ml") {
			t.Error("afterwards, nothing is seen")
		}
	})
}

// TestMay: rights to write are reviewed for each request, and a refusal has the role.
func TestMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.follow(Config{})
		right := Right{Cluster: "prod", Verb: "create", Group: "batch", Resource: "jobs", Namespace: "ml", Also: []string{"get"}}
		err := a.May(as(t, "anna"), right)
		var p *api.Problem
		if !errors.As(err, &p) || p.Type != api.ProblemDenied || !strings.Contains(p.Role, "- create") || !strings.Contains(p.Role, "name: anna") || !strings.Contains(p.Role, "namespace: ml") || !strings.Contains(p.Detail, "anna may not create jobs.batch in the namespace ml") {
			t.Errorf("got %v and %+v, want it denied, with a Role for anna in ml", err, p)
		}
		w.allow("anna create jobs ml", true)
		if err := a.May(as(t, "anna"), right); err != nil {
			t.Error(err)
		}
		w.allow("anna create jobs ml", false)
		if err := a.May(as(t, "anna"), right); !isProblem(err, api.ProblemDenied) {
			t.Errorf("a revoked right: got %v, want it denied", err)
		}
		for _, c := range []struct {
			person  identity.Person
			cluster string
			want    string
		}{
			{identity.Person{}, "prod", api.ProblemSignIn},
			{identity.Person{Name: "anna"}, "nowhere", api.ProblemUnavailable},
			{identity.Person{Name: "anna", Cluster: "other"}, "prod", api.ProblemDenied},
		} {
			ctx, r := identity.With(t.Context(), c.person), right
			r.Cluster = c.cluster
			_, err := a.Cluster(ctx, c.cluster)
			if err2 := a.May(ctx, r); !isProblem(err, c.want) || !isProblem(err2, c.want) {
				t.Errorf("%+v in %s: got %v and %v, want %v for both", c.person, c.cluster, err, err2, c.want)
			}
		}
		hostile := as(t, "anna\nkind: ClusterRole\n\u202e")
		if errors.As(a.May(hostile, right), &p); strings.Contains(p.Role, "\nkind: ClusterRole") || strings.ContainsAny(p.Detail, "\n\u202e") {
			t.Errorf("a hostile name: got %+v, want it escaped", p)
		}
	})
}

// TestCluster: requests impersonate the person over shared connections, and the number of clients
// is bounded.
func TestCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.follow(Config{})
		w.allow("team create jobs ml", true)
		for who, want := range map[string]bool{"anna": true, "ben": false} {
			ctx := as(t, who, map[bool]string{true: "team", false: "others"}[want])
			cluster, err := a.Cluster(ctx, "prod")
			if err != nil {
				t.Fatal(err)
			}
			jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = jobs.Create(t.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: who}})
			if (err == nil) != want {
				t.Errorf("%s creates a job: got error %v, want it allowed: %t", who, err, want)
			}
			if again, _ := a.Cluster(ctx, "prod"); again != cluster {
				t.Error("a person gets a new client each time")
			}
		}
		for n := range 2 * maxClients {
			if _, err := a.Cluster(as(t, fmt.Sprint(n)), "prod"); err != nil {
				t.Fatal(err)
			}
		}
		if a.count > maxClients {
			t.Errorf("%d clients are remembered", a.count)
		}
		for n := range maxVisitors + 10 {
			a.visitors.get(identity.Person{Name: fmt.Sprint(n)}, nil, time.Now())
		}
		if n := len(a.visitors.all); n > maxVisitors {
			t.Errorf("%d persons are remembered", n)
		}
	})
}

// TestReviewOfTokens: a token identifies the person that its cluster returns, in that cluster only.
func TestReviewOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other := newWorld(t), newWorld(t)
		defer other.close()
		both := []Cluster{{"prod", w.kube}, {"lab", other.kube}}
		a, reviewer := w.follow(Config{Clusters: both}), NewTokenReviewer(both, "", nil)
		p, ok, err := reviewer.Review(t.Context(), "ci-token", "lab")
		if err != nil || !ok || p.Name != "system:serviceaccount:ml:ci" || p.Cluster != "lab" || p.SignIn != api.SignInToken {
			t.Errorf("got %+v (%v) and error %v, want the service account of lab", p, ok, err)
		}
		if p, ok, err := reviewer.Review(t.Context(), "nothing", "prod"); ok || err != nil {
			t.Errorf("an unknown token: %+v, %v", p, err)
		}
		other.Server.Close()
		if p, ok, err = reviewer.Review(t.Context(), "anna-token", "prod"); err != nil || !ok || p.Cluster != "prod" {
			t.Errorf("while the other cluster is unreachable: %+v, %v", p, err)
		}
		if _, ok, err = reviewer.Review(t.Context(), "anna-token", "lab"); ok || err == nil {
			t.Error("a token is refused although its cluster may know it")
		}
		for _, c := range []*world{w, other} {
			c.allow("anna list jobs ", true)
		}
		s := w.sight(a, identity.With(t.Context(), p))
		if !s.Sees("prod", "ml") || s.Sees("lab", "ml") || s.All() {
			t.Error("the person has rights in a cluster that did not identify them")
		}
	})
}

// TestWithoutRights: without Config.Rights everybody sees everything, and no review is sent.
func TestWithoutRights(t *testing.T) {
	w := newWorld(t)
	defer w.close()
	a := New(Config{Clusters: []Cluster{{"prod", w.kube}}})
	s := w.sight(a, t.Context())
	cluster, err := a.Cluster(t.Context(), "prod")
	if !s.All() || !seesType(s, "x", "y", "z") || s.Expired() != nil || err != nil || cluster != w.kube || len(w.Requests()) > 0 {
		t.Errorf("got %+v, error %v and requests %v; want sight of all without a request", s, err, w.Requests())
	}
	if err := a.May(t.Context(), Right{Cluster: "prod"}); err != nil {
		t.Error(err)
	}
	if operates, err := a.Operates(t.Context()); err != nil || !operates {
		t.Error("nobody operates")
	}
	lost := Right{Cluster: "away", Verb: "get", Resource: "pods", Subresource: "log", Namespace: "ml"}
	if may, read := a.May(t.Context(), lost), a.MayRead(t.Context(), lost); may == nil || read != nil {
		t.Errorf("for a cluster without a connection: %v, %v", may, read)
	}
	of := func(cluster string) context.Context {
		return identity.With(t.Context(), identity.Person{Name: "anna", Cluster: cluster})
	}
	if s := w.sight(a, of("prod")); !s.All() || !seesType(s, "prod", "y", "z") || seesType(s, "x", "y", "z") || s.Sees("x", "z") || s.SeesCluster("x") {
		t.Errorf("a person of prod: got %+v, want sight of prod", s)
	}
	s, sighted := a.Sight(of("lab"))
	_, err = a.Cluster(of("lab"), "prod")
	may, read := a.May(of("lab"), Right{Cluster: "prod"}), a.MayRead(of("lab"), Right{Cluster: "prod"})
	if sighted != nil || s.All() || s.Sees("prod", "z") || !isProblem(err, api.ProblemDenied) || !isProblem(may, api.ProblemDenied) || !isProblem(read, api.ProblemDenied) {
		t.Errorf("a person of another cluster: got %+v and errors %v, %v, %v and %v; want no sight and no right", s, sighted, err, may, read)
	}
	guarded := New(Config{Clusters: []Cluster{{"prod", w.kube}}, Rights: true})
	if err := guarded.MayRead(identity.With(t.Context(), identity.Person{Name: "anna", SignIn: api.SignInToken}), lost); err == nil {
		t.Error("with rights, a cluster without a connection can be read")
	}
}
