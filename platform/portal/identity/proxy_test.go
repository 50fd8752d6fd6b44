package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestProxy: headers of a trusted proxy count, and headers of others do not.
func TestProxy(t *testing.T) {
	f := newFixture(t, Config{Listen: ":8790", Proxy: &Proxy{CIDRs: []string{"10.1.0.0/16", "fd00::/8"}, GroupsPrefix: "corp:"}})
	for _, c := range []struct {
		name, from string
		headers    []string
		want       int
		person     string
	}{
		{"the proxy", "10.1.2.3:9", []string{"X-Remote-User", "anna", "X-Remote-Group", "a, b", "X-Remote-Group", "c"}, 200, "anna 10.1.2.3 [corp:a corp:b corp:c]"},
		{"the proxy with an address", "10.1.2.3:9", []string{"X-Remote-User", "anna", "X-Forwarded-For", "1.1.1.1, 8.8.8.8, 10.1.9.9"}, 200, "anna 8.8.8.8 []"},
		{"an invalid address", "10.1.2.3:9", []string{"X-Remote-User", "anna", "X-Forwarded-For", "<script>"}, 200, "anna 10.1.2.3 []"},
		{"the proxy by IPv6", "[::ffff:10.1.2.3]:9", []string{"X-Remote-User", "anna"}, 200, "anna 10.1.2.3 []"},
		{"somebody else", "10.2.0.1:9", []string{"X-Remote-User", "anna"}, 401, ""},
		{"somebody else who names a proxy", "10.2.0.1:9", []string{"X-Remote-User", "anna", "X-Forwarded-For", "10.1.2.3"}, 401, ""},
		{"nobody", "10.1.2.3:9", nil, 401, ""},
		{"two names", "10.1.2.3:9", []string{"X-Remote-User", "admin", "X-Remote-User", "anna"}, 401, ""},
		{"a name of Kubernetes", "10.1.2.3:9", []string{"X-Remote-User", "system:admin"}, 401, ""},
		{"a control character", "10.1.2.3:9", []string{"X-Remote-User", "an\x01na"}, 401, ""},
		{"a long name", "10.1.2.3:9", []string{"X-Remote-User", strings.Repeat("a", maxName+1)}, 401, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request("GET", "/api/v1/jobs", c.headers...)
			r.RemoteAddr = c.from
			if c.want != 200 {
				if got := f.send(r).Code; got != c.want {
					t.Errorf("got %d, want %d", got, c.want)
				}
				return
			}
			if s := f.want(r); fmt.Sprint(s.Name, " ", s.Address, " ", s.Groups) != c.person {
				t.Errorf("got %+v, want %s", s, c.person)
			}
		})
	}
	plain := newFixture(t, Config{Listen: ":8790", Proxy: &Proxy{CIDRs: []string{"10.1.0.0/16"}}})
	r := request("GET", "/", "X-Remote-User", "anna", "X-Remote-Group", "system:masters", "X-Remote-Group", "a")
	r.RemoteAddr = "10.1.0.1:1"
	if s := plain.want(r); !slices.Equal(s.Groups, []string{"a"}) {
		t.Errorf("a group of Kubernetes is taken from the proxy: %v", s.Groups)
	}
	mixed := newFixture(t, Config{Listen: ":8790", Tokens: tokens(t, anna), Proxy: &Proxy{CIDRs: []string{"10.1.0.0/16"}}})
	direct := request("GET", "/", "Authorization", "Bearer "+secret, "X-Remote-User", "root", "X-Forwarded-For", "1.1.1.1")
	if s := mixed.want(direct); s.Name != "anna" || s.Forwarded != "" || s.Address != "127.0.0.1" {
		t.Errorf("headers of a proxy pass: %+v", s)
	}
	csrf := plain.want(r).CSRF
	for token, want := range map[string]int{csrf: 200, "": 403} {
		r := request("POST", "/", "X-Remote-User", "anna", HeaderCSRF, token)
		r.RemoteAddr = "10.1.0.1:1"
		if got := plain.send(r).Code; got != want {
			t.Errorf("a write gets %d, want %d", got, want)
		}
	}
	r = request("POST", "/", "X-Remote-User", "ben", HeaderCSRF, csrf)
	r.RemoteAddr = "10.1.0.1:1"
	if got := plain.send(r).Code; got != 403 {
		t.Errorf("the CSRF token of another person gets %d", got)
	}
}

// TestReview: a token of a cluster is reviewed once in 30 s, its session ends when the cluster no
// longer knows it, and people can sign in again after an outage of the cluster.
func TestReview(t *testing.T) {
	asked, known := map[string]int{}, true
	var failing error
	f := newFixture(t, Config{Listen: ":8790", Review: func(_ context.Context, token, _ string) (Person, bool, error) {
		asked[token]++
		return Person{Name: "system:serviceaccount:ml:ci", SignIn: api.SignInToken, Cluster: "a", Groups: []string{"g"}}, known && token == "good", failing
	}})
	now := time.Now()
	f.auth.reviewer.now = func() time.Time { return now }
	get := func(headers ...string) int { return f.status("GET", "/", headers...) }
	cookie := cookies(f.paste("good"))
	for range 5 {
		if a, b := get("Authorization", "Bearer good"), get("Cookie", cookie); a != 200 || b != 200 {
			t.Fatalf("got status %d with the token and %d with the cookie, want 200 for both", a, b)
		}
	}
	for range 5 {
		if got := get("Authorization", "Bearer bad"); got != 401 {
			t.Fatalf("got status %v, want 401", got)
		}
	}
	if asked["good"] != 2 || asked["bad"] != 1 { // the session names the cluster, and the header does not
		t.Errorf("asked %v times, want once for each token and cluster", asked)
	}
	now, failing = now.Add(reviewFor), errors.New("no route")
	if got := get("Cookie", cookie); got != 502 {
		t.Errorf("while no cluster answers: %d", got)
	}
	failing = nil
	if got := get("Cookie", cookie); got != 200 {
		t.Errorf("afterwards: %d", got)
	}
	now, known = now.Add(reviewFor), false
	if got := get("Cookie", cookie); got != 401 {
		t.Errorf("a session whose token was revoked gets %d", got)
	}
	for n := range maxReviewed + 10 {
		_, _, _ = f.auth.reviewer.review(t.Context(), fmt.Sprint(n), "")
	}
	if n := len(f.auth.reviewer.known); n > maxReviewed {
		t.Errorf("%d tokens are remembered", n)
	}
}
