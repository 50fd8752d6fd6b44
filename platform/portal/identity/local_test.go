package identity

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// localPortal is a portal without sign-in, with a local token.
func localPortal(t *testing.T) *fixture {
	return newFixture(t, Config{Listen: "127.0.0.1:8790", LocalToken: secret, Open: []string{"/assets/"}})
}

// TestAttackLocalToken: another user of the machine gets nothing from a portal without sign-in. The
// refusal names the remedy, and no answer has the token.
func TestAttackLocalToken(t *testing.T) {
	f := localPortal(t)
	cookie := cookies(f.send(request("GET", "/auth/local?token="+secret)))
	name, value, _ := strings.Cut(cookie, "=")
	for _, headers := range [][]string{
		nil,
		{"Authorization", "Bearer " + secret[1:]},
		{"Authorization", "Bearer "},
		{"Authorization", "Basic " + secret},
		{"Authorization", secret},
		{"Authorization", "Bearer " + value},
		{"Authorization", "Bearer x", "Cookie", cookie},
		{"Cookie", name + "=" + secret},
		{"Cookie", name + "="},
		{"Cookie", "vedette-local-80=" + value},
		{"Cookie", name + "=" + value[1:]},
		{"Cookie", cookie, "Host", "localhost:80"},
		{"Cookie", "vedette-local-80=" + value, "Host", "localhost:80"}, // the value of another port
		{"X-Remote-User", "root"},
	} {
		for _, path := range []string{"/", "/jobs", "/api/v1/session", "/api/v1/stream", "/find/a/b/c/d", "/assets/../jobs", "/jobs?token=" + secret, "/auth"} {
			for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
				w := f.send(request(method, path, headers...))
				if w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "staple") {
					t.Errorf("%s %s with %q: got status %d and %.200s, want 401 without the token", method, path, headers, w.Code, w.Body)
				}
			}
		}
		if w := f.send(request("POST", "/assets/app.js", headers...)); w.Code != http.StatusUnauthorized {
			t.Errorf("a write to an open path with %q: got status %d, want 401", headers, w.Code)
		}
	}
	p := f.problem(request("GET", "/api/v1/jobs"))
	for _, want := range []string{"`vedette portal url`", "vedette/local-token", "--insecure-loopback"} {
		if p.Type != api.ProblemSignIn || !strings.Contains(p.Detail, want) {
			t.Errorf("got %+v, want a sign-in problem that names %s", p, want)
		}
	}
	for path, want := range map[string]int{"/assets/app.js": 200, "/auth/": 200, "/auth/methods": 200, "/auth/local": 401, "/auth/local?token=x": 401, "/auth/local?token=": 401, "/auth/local/": 404, "/auth/local/proof": 400} {
		if got := f.status("GET", path); got != want {
			t.Errorf("GET %s: got status %d, want %d", path, got, want)
		}
	}
	if w := f.send(request("GET", "/auth/local?token=wrong", "Cookie", cookie)); len(w.Result().Cookies()) != 0 {
		t.Errorf("a wrong token sets cookies: %v", w.Header())
	}
	if strings.Contains(f.logged.String(), "staple") {
		t.Errorf("the log has the token: %s", f.logged)
	}
}

// TestLocalToken: the printed address opens the portal in a browser by one redirect, and programs
// send the token. A restart keeps pages open, and many refusals keep nobody out.
func TestLocalToken(t *testing.T) {
	f := localPortal(t)
	for range 2 * rateAtOnce { // another user of the machine, whose address is the same
		f.status("GET", "/auth/local?token=wrong")
		f.status("GET", "/api/v1/jobs", "Authorization", "Bearer wrong-horse-battery-staple")
	}
	at := strings.TrimPrefix(LocalURL("http://localhost:8790/", secret), "http://localhost:8790")
	for to, want := range map[string]string{"": "/", "&to=%2Fjobs%3Fstate%3DFailed": "/jobs?state=Failed", "&to=%2F%2Fevil.example.com": "/", "&to=https%3A%2F%2Fevil.example.com": "/"} {
		w := f.send(request("GET", at+to, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"))
		h := w.Header()
		if w.Code != http.StatusSeeOther || h.Get("Location") != want || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("to %q: got status %d and %v, want a redirect to %s", to, w.Code, h, want)
		}
		c := w.Result().Cookies()[0]
		if c.Name != "vedette-local-8790" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || strings.Contains(h.Get("Set-Cookie"), "staple") {
			t.Errorf("got the cookie %v", c)
		}
	}
	cookie := cookies(f.send(request("GET", at)))
	for _, portal := range []*fixture{f, localPortal(t)} { // the second one is the portal after a restart
		got := portal.want(request("GET", "/api/v1/session", "Cookie", cookie))
		if got.Name != "" || got.SignIn != api.SignInNone {
			t.Errorf("got %+v, want nobody signed in", got)
		}
		if got := portal.status("POST", "/api/v1/submit", "Cookie", cookie, HeaderCSRF, got.CSRF); got != http.StatusOK {
			t.Errorf("a write of a page: got status %d, want 200", got)
		}
		if got := portal.status("POST", "/api/v1/submit", "Cookie", cookie); got != http.StatusForbidden {
			t.Errorf("a write without the token of the page: got status %d, want 403", got)
		}
		if got := portal.status("POST", "/api/v1/submit", "Authorization", "Bearer "+secret); got != http.StatusOK {
			t.Errorf("a write of a program: got status %d, want 200", got)
		}
	}
	for _, c := range [][]string{{"Cookie", cookie, "Host", "evil.example.com:8790"}, {"Cookie", cookie, "X-Forwarded-For", "8.8.8.8"}, {"Cookie", cookie, "Sec-Fetch-Site", "cross-site"}} {
		if got := f.status("GET", "/api/v1/jobs", c...); got != http.StatusForbidden {
			t.Errorf("%v: got status %d, want 403", c, got)
		}
	}
	other := newFixture(t, Config{LocalToken: secret + "-2"})
	if got := other.status("GET", "/api/v1/jobs", "Cookie", cookie); got != http.StatusUnauthorized {
		t.Errorf("a portal with another token: got status %d, want 401", got)
	}
	w := f.send(request("GET", "/jobs", "Accept", "text/html"))
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to != "/auth/?to=%2Fjobs" {
		t.Errorf("a browser without the token: got status %d and %q, want the page below /auth/", w.Code, to)
	}
	for language, want := range map[string]string{"en": "open to the user who runs it", "zh": "仅供运行它的用户使用"} {
		if text := f.send(request("GET", "/auth/?lang="+language)).Body.String(); !strings.Contains(text, want) || !strings.Contains(text, "vedette portal url") || strings.Contains(text, "staple") {
			t.Errorf("the page says %s", text)
		}
	}
}

// TestLocalProof: a portal proves that it knows the token, for one nonce and one of its own
// addresses. Portals without a local token prove nothing.
func TestLocalProof(t *testing.T) {
	f := localPortal(t)
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	proof := func(nonce string) string {
		resp, err := http.Get(server.URL + api.PathLocalProof + "?nonce=" + nonce)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var p api.LocalProof
		if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("got status %d and error %v, want 200 and a proof", resp.StatusCode, err)
		}
		return p.Proof
	}
	at := server.Listener.Addr()
	one := proof("one")
	if one != LocalProof(secret, "one", at) {
		t.Error("the portal does not prove that it knows the token")
	}
	next := *at.(*net.TCPAddr)
	next.Port++
	if one == proof("two") || one == LocalProof(secret, "one", &next) || one == LocalProof(secret+"x", "one", at) {
		t.Error("a proof holds for another nonce, address or token")
	}
	if got := f.status("GET", api.PathLocalProof+"?nonce="+strings.Repeat("x", maxNonce+1)); got != http.StatusBadRequest {
		t.Errorf("a long nonce: got status %d, want 400", got)
	}
	for _, cfg := range []Config{{InsecureLoopback: true}, {Tokens: tokens(t, anna)}} {
		if got := newFixture(t, cfg).status("GET", api.PathLocalProof+"?nonce=x"); got != http.StatusNotFound {
			t.Errorf("without a local token: got status %d, want 404", got)
		}
	}
}
