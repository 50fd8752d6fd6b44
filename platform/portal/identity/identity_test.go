package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestNew: addresses other than loopback require a way to sign in, and errors contain no secrets.
func TestNew(t *testing.T) {
	good := tokens(t, anna)
	short := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(short, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"loopback", Config{Listen: "127.0.0.1:8790", LocalToken: secret}, ""},
		{"loopback by name", Config{Listen: "localhost:8790", LocalToken: secret}, ""},
		{"loopback of IPv6", Config{Listen: "[::1]:8790", LocalToken: secret}, ""},
		{"loopback for all users", Config{Listen: "127.0.0.1:8790", InsecureLoopback: true}, ""},
		{"loopback without a token", Config{Listen: "127.0.0.1:8790"}, "needs a local token"},
		{"nothing", Config{}, "needs a local token"},
		{"a short local token", Config{LocalToken: "staple"}, "can be guessed"},
		{"a local token for all users", Config{LocalToken: secret, InsecureLoopback: true}, "takes no local token"},
		{"a local token and sign-in", Config{LocalToken: secret, Tokens: good}, "people sign in"},
		{"all users and sign-in", Config{InsecureLoopback: true, Tokens: good}, "people sign in"},
		{"another address with a local token", Config{Listen: ":8790", LocalToken: secret}, "not a loopback address"},
		{"another address for all users", Config{Listen: ":8790", InsecureLoopback: true}, "not a loopback address"},
		{"all addresses", Config{Listen: ":8790"}, "not a loopback address"},
		{"another name", Config{Listen: "localhost.example.com:80"}, "not a loopback address"},
		{"another address", Config{Listen: "10.0.0.1:80"}, "not a loopback address"},
		{"unspecified", Config{Listen: "0.0.0.0:80"}, "not a loopback address"},
		{"tokens", Config{Listen: ":8790", Tokens: good}, ""},
		{"no file", Config{Tokens: "/nowhere/tokens"}, "no such file"},
		{"no YAML", Config{Tokens: tokens(t, "tokens: ["+secret)}, "is not a token file"},
		{"unknown field", Config{Tokens: tokens(t, "tokens:\n- name: a\n  secret: "+secret)}, "is not a token file"},
		{"short token", Config{Tokens: tokens(t, "tokens:\n- name: a\n  token: abc")}, "can be guessed"},
		{"no token", Config{Tokens: tokens(t, "tokens:\n- name: a")}, "either token or sha256"},
		{"bad sum", Config{Tokens: tokens(t, "tokens:\n- name: a\n  sha256: abc")}, "64 hexadecimal"},
		{"same name", Config{Tokens: tokens(t, anna+strings.TrimPrefix(anna, "tokens:\n"))}, "another token has its name"},
		{"bad name", Config{Tokens: tokens(t, "tokens:\n- name: \"a\\nb\"\n  token: "+secret)}, "control characters"},
		{"key", Config{InsecureLoopback: true, Key: short}, "5 bytes"},
		{"proxy without addresses", Config{Proxy: &Proxy{}}, "needs its addresses"},
		{"proxy anywhere", Config{Proxy: &Proxy{CIDRs: []string{"0.0.0.0/0"}}}, "anybody could claim"},
		{"OIDC without TLS", Config{URL: "https://v.example.com", OIDC: &OIDC{Issuer: "http://idp.example.com", ClientID: "v"}}, "https://"},
		{"OIDC without address", Config{OIDC: &OIDC{Issuer: "https://idp.example.com", ClientID: "v"}}, "the address by which browsers"},
		{"sessions", Config{InsecureLoopback: true, Lifetime: time.Hour, Idle: 2 * time.Hour}, "not longer"},
		{"address", Config{InsecureLoopback: true, URL: "https://u:p@example.com"}, "not the address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(c.cfg)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error has the token: %v", err)
			}
		})
	}
}

// TestLoopbackGuards: without sign-in, other names, other sites and proxies are refused.
func TestLoopbackGuards(t *testing.T) {
	f := newFixture(t, Config{Listen: "127.0.0.1:8790", Hosts: []string{"jobs.lan"}, InsecureLoopback: true})
	csrf := f.want(request("GET", "/api/v1/session")).CSRF
	for _, c := range []struct {
		name, method string
		headers      []string
		want         int
	}{
		{"a page", "GET", nil, 200},
		{"an allowed name", "GET", []string{"Host", "jobs.lan:8790"}, 200},
		{"IPv6", "GET", []string{"Host", "[::1]:8790"}, 200},
		{"rebinding", "GET", []string{"Host", "evil.example.com:8790"}, 403},
		{"a name that looks like this machine", "GET", []string{"Host", "127.0.0.1.evil.example.com"}, 403},
		{"no name", "GET", []string{"Host", ""}, 403},
		{"a proxy in front", "GET", []string{"X-Forwarded-For", "8.8.8.8"}, 403},
		{"a script of another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}, 403},
		{"a frame of another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"a link of another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"a write", "POST", []string{HeaderCSRF, csrf}, 200},
		{"a write of a browser", "POST", []string{HeaderCSRF, csrf, "Sec-Fetch-Site", "same-origin"}, 200},
		{"a write without the token", "POST", nil, 403},
		{"a write with another token", "DELETE", []string{HeaderCSRF, csrf[1:] + "A"}, 403},
		{"a write of another site", "POST", []string{HeaderCSRF, csrf, "Sec-Fetch-Site", "cross-site"}, 403},
		{"a write of a neighbor", "POST", []string{HeaderCSRF, csrf, "Sec-Fetch-Site", "same-site"}, 403},
		{"a write of another origin", "POST", []string{HeaderCSRF, csrf, "Origin", "http://localhost:9999"}, 403},
		{"a bearer token is no way around", "POST", []string{"Authorization", "Bearer x"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := f.status(c.method, "/api/v1/jobs", c.headers...); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
	if got := f.want(request("GET", "/")); got.Name != "" || got.SignIn != api.SignInNone || got.Address != "127.0.0.1" {
		t.Errorf("got %+v, want nobody signed in, from 127.0.0.1", got)
	}
}

// TestBearer: a program with a token of the file is accepted, also if the file has only its hash;
// other tokens are refused.
func TestBearer(t *testing.T) {
	sum := "tokens:\n- name: ci\n  sha256: 3f2a5d8c0b0c4d9d1b3b8f6f4d6e7a4d5c3b2a1908f7e6d5c4b3a29180706050\n"
	f := newFixture(t, Config{Listen: ":8790", Tokens: tokens(t, anna+strings.TrimPrefix(sum, "tokens:\n")), Open: []string{"/assets/", "/healthz"}})
	r := request("POST", "/api/v1/submit", "Authorization", "Bearer "+secret, "Host", "v.example.com", "X-Forwarded-For", "10.0.0.1", "X-Remote-User", "root")
	if got := f.want(r); got.Forwarded != "root" || got.Address != "127.0.0.1" || got.Name != "anna" || !slices.Equal(got.Groups, []string{"team-llm"}) || !slices.Equal(got.Names, []string{"anna", "anna@example.com"}) || got.SignIn != api.SignInToken {
		t.Errorf("got %+v, want anna by token, with her groups and names", got)
	}
	for _, header := range []string{"Bearer wrong", "Bearer", "Basic " + secret, secret, "Bearer " + secret + "x", "Bearer " + strings.Repeat("a", maxBearer+1)} {
		if p := f.problem(request("GET", "/api/v1/jobs", "Authorization", header)); p.Type != api.ProblemSignIn || strings.Contains(p.Detail, "wrong") {
			t.Errorf("header %.40q: got %+v, want a sign-in problem that does not repeat the token", header, p)
		}
	}
	if strings.Contains(f.logged.String(), "staple") || strings.Contains(f.logged.String(), "wrong") {
		t.Errorf("the log has a token: %s", f.logged)
	}
	for path, want := range map[string]int{
		"/api/v1/jobs": 401, "/jobs": 401, "/assets/app.js": 200, "/assets/../api/v1/jobs": 401, "/assets/..": 401, "/assets/%2e%2e/api/v1/jobs": 401,
		"/healthz": 200, "/healthzz": 401, "/auth/": 200, "/auth/../api/v1/jobs": 404, "/auth/methods": 200, "/auth/nothing": 404,
	} {
		if got := f.status("GET", path); got != want {
			t.Errorf("GET %s: %d, want %d", path, got, want)
		}
	}
	w := f.send(request("GET", "/jobs?state=Failed", "Accept", "text/html"))
	if w.Code != 303 || w.Header().Get("Location") != "/auth/?to=%2Fjobs%3Fstate%3DFailed" {
		t.Errorf("a browser is sent to %d %s", w.Code, w.Header())
	}
}

// TestTokenFileChanges: a changed file takes effect after two seconds, a broken file does not, and
// without the file no token is valid.
func TestTokenFileChanges(t *testing.T) {
	path := tokens(t, anna)
	f := newFixture(t, Config{Tokens: path})
	now := time.Now()
	f.auth.tokens.now = func() time.Time { return now }
	bearer := []string{"Authorization", "Bearer " + secret}
	cookie := cookies(f.paste(secret))
	step := func(what, text string, want int) {
		t.Helper()
		now = now.Add(3 * time.Second)
		if text == "" {
			_ = os.Remove(path)
		} else if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		} else if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		if got := f.status("GET", "/api/v1/jobs", bearer...); got != want {
			t.Errorf("%s: the token gets %d, want %d", what, got, want)
		}
		if got := f.status("GET", "/api/v1/jobs", "Cookie", cookie); got != want {
			t.Errorf("%s: the session gets %d, want %d", what, got, want)
		}
	}
	step("at first", anna, 200)
	step("another token", strings.Replace(anna, "correct", "another", 1), 401)
	step("the token again", anna+"# again\n", 200)
	step("a broken file", "tokens: {", 200)
	step("no file", "", 401)
	step("back", anna, 200)
}

// TestSession: the form begins a session with safe cookies and a CSRF token of its own. The session
// ends at sign-out, after its lifetime, and when it is idle.
func TestSession(t *testing.T) {
	f := newFixture(t, Config{Tokens: tokens(t, anna), URL: "https://v.example.com"})
	w := f.paste(secret)
	c := w.Result().Cookies()
	if w.Code != 303 || w.Header().Get("Location") != "/jobs?state=Failed" || len(c) != 1 {
		t.Fatalf("got status %d and headers %s, want 303 to the page, and one cookie", w.Code, w.Header())
	}
	if c[0].Name != "__Host-vedette-session" || !c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode || c[0].Path != "/" || c[0].Domain != "" {
		t.Errorf("the cookie is %v", c[0])
	}
	if strings.Contains(c[0].Value, "anna") || f.paste("wrong").Code != 401 {
		t.Error("the cookie contains the name in clear text, or a wrong token signs in")
	}
	one, other := cookies(w), cookies(f.paste(secret))
	csrf, others := f.want(request("GET", "/", "Cookie", one)).CSRF, f.want(request("GET", "/", "Cookie", other)).CSRF
	if csrf == others {
		t.Error("two sessions have one CSRF token")
	}
	for _, c := range []struct {
		csrf string
		want int
	}{{csrf, 200}, {others, 403}, {"", 403}} {
		if got := f.status("POST", "/api/v1/submit", "Cookie", one, HeaderCSRF, c.csrf, "Origin", "https://v.example.com"); got != c.want {
			t.Errorf("a write gets %d, want %d", got, c.want)
		}
	}
	for n := range len(one) { // no bit of a cookie may change
		forged := []byte(one)
		if forged[n] ^= 1; n < len("__Host-vedette-session=1.") || n%7 > 0 {
			continue
		}
		if got := f.status("GET", "/api/v1/jobs", "Cookie", string(forged)); got != 401 {
			t.Fatalf("byte %d changed: got status %d, want 401", n, got)
		}
	}
	if got := f.status("DELETE", "/api/v1/session", "Cookie", one); got != 403 {
		t.Errorf("signing out without the token gets %d", got)
	}
	w = f.send(request("DELETE", "/api/v1/session", "Cookie", one, HeaderCSRF, csrf))
	if w.Code != 204 || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("signing out: got status %d and headers %v, want 204 and the cookie removed", w.Code, w.Header())
	}
	if got := f.status("GET", "/api/v1/jobs", "Cookie", one); got != 401 {
		t.Errorf("a session that was ended gets %d", got)
	}
}

// TestSessionTimes: an idle session ends, a used one lasts for its lifetime, and the context of a
// request ends with its session.
func TestSessionTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, Config{Tokens: tokens(t, anna), Lifetime: 5 * time.Hour, Idle: time.Hour})
		cookie := cookies(f.paste(secret))
		first := cookie
		for range 5 {
			wait(59 * time.Minute)
			w := f.send(request("GET", "/", "Cookie", cookie))
			if w.Code != 200 {
				t.Fatalf("a used session gets %d", w.Code)
			}
			cookie = cookies(w)
		}
		if got := f.status("GET", "/api", "Cookie", first); got != 401 {
			t.Errorf("an idle session gets %d", got)
		}
		var ended error
		f.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			ended = context.Cause(r.Context())
		})).ServeHTTP(httptest.NewRecorder(), request("GET", "/api/v1/stream", "Cookie", cookie))
		if !errors.Is(ended, errSession) {
			t.Errorf("a stream ends with %v", ended)
		}
		if got := f.status("GET", "/api", "Cookie", cookie); got != 401 {
			t.Errorf("a session after its lifetime gets %d", got)
		}
	})
}

// wait waits in the fake time of synctest.
func wait(d time.Duration) { <-time.After(d) }

// TestSharedKey: replicas with the same key accept each other's sessions; a portal with another key
// does not.
func TestSharedKey(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	file := tokens(t, anna)
	a, b, c := newFixture(t, Config{Tokens: file, Key: key}), newFixture(t, Config{Tokens: file, Key: key}), newFixture(t, Config{Tokens: file})
	cookie := cookies(a.paste(secret))
	csrf := a.want(request("GET", "/", "Cookie", cookie)).CSRF
	if got := b.status("POST", "/", "Cookie", cookie, HeaderCSRF, csrf); got != 200 {
		t.Errorf("a replica: got status %d, want 200", got)
	}
	if got := c.status("GET", "/", "Cookie", cookie); got != 401 {
		t.Errorf("another portal answers %d", got)
	}
}

// TestAttempts: after 20 failures an address is refused, even with a valid token. A token that the
// address used before still works, and so do other addresses.
func TestAttempts(t *testing.T) {
	f := newFixture(t, Config{Tokens: tokens(t, anna+"- name: ben\n  token: another-horse-battery-staple\n")})
	now := time.Now()
	f.auth.now = func() time.Time { return now }
	get := func(token, from string) int {
		r := request("GET", "/", "Authorization", "Bearer "+token)
		r.RemoteAddr = from
		return f.send(r).Code
	}
	if got := get("another-horse-battery-staple", "[2001:db8::1]:1"); got != 200 {
		t.Fatalf("got status %v, want 200", got)
	}
	for n := range maxFailures {
		if got := get(fmt.Sprint("guess ", n), fmt.Sprintf("[2001:db8::%x]:1", n)); got != 401 {
			t.Fatalf("guess %d: got status %d, want 401", n, got)
		}
	}
	for _, c := range []struct {
		token, from string
		want        int
	}{
		{"one more", "[2001:db8::99]:1", 429},
		{secret, "[2001:db8::99]:1", 429},
		{"another-horse-battery-staple", "[2001:db8::99]:1", 200},
		{secret, "[2001:db8:1::1]:1", 200},
	} {
		if got := get(c.token, c.from); got != c.want {
			t.Errorf("%s from %s gets %d, want %d", c.token, c.from, got, c.want)
		}
	}
	if w := f.paste("x"); w.Code != 401 {
		t.Errorf("the form at another address gets %d", w.Code)
	}
	now = now.Add(failureWindow)
	if got := get(secret, "[2001:db8::99]:1"); got != 200 {
		t.Errorf("a minute later: got status %d, want 200", got)
	}
	for n := range 3 * maxOfThrottle {
		f.auth.throttle.failed(fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255), now)
	}
	if n := len(f.auth.throttle.began); n > maxOfThrottle {
		t.Errorf("%d addresses are remembered", n)
	}
}

// TestDestination: a sign-in never redirects to another site.
func TestDestination(t *testing.T) {
	for to, want := range map[string]string{
		"/jobs?a=b#c": "/jobs?a=b#c", "": "/", "jobs": "/", "//evil.example.com": "/", "/\\evil.example.com": "/", "https://evil.example.com/": "/",
		"javascript:alert(1)": "/", "/\t/evil.example.com": "/", "/%2f/evil": "/", "/%5cevil": "/", "/auth/token": "/", "/a\r\nSet-Cookie: x": "/", "/" + strings.Repeat("a", 3000): "/",
	} {
		if got := destination(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}

// TestPage: the page has no script, and shows parameters of the URL as text.
func TestPage(t *testing.T) {
	f := newFixture(t, Config{Tokens: tokens(t, anna)})
	w := f.send(request("GET", `/auth/?to=/jobs%3Fq=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`))
	if body := w.Body.String(); strings.Contains(body, "<script") || !strings.Contains(body, "/jobs?q=") {
		t.Errorf("got %s, want the target without a script", body)
	}
	if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("got the policy %s, want default-src and frame-ancestors none", csp)
	}
	r := request("POST", "/auth/token?token="+secret, "Content-Type", "application/x-www-form-urlencoded")
	if got := f.send(r).Code; got != 400 {
		t.Errorf("a token in the URL gets %d", got)
	}
	if got := f.paste(secret, "Sec-Fetch-Site", "cross-site").Code; got != 403 {
		t.Errorf("another site signs somebody in: %d", got)
	}
}

// TestPageLooks: the page and its problems have the language and the theme of the person.
func TestPageLooks(t *testing.T) {
	f := newFixture(t, Config{Tokens: tokens(t, anna)})
	for _, c := range []struct {
		path   string
		header []string
		want   []string
	}{
		{"/auth/", nil, []string{`<html lang="en" data-theme="system">`, "Sign in to Vedette"}},
		{"/auth/", []string{"Accept-Language", "zh-CN,zh;q=0.9", "Cookie", "vedette_theme=dark"}, []string{`<html lang="zh" data-theme="dark">`, "登录 Vedette", "令牌"}},
		{"/auth/?lang=zh&to=/stats", []string{"Cookie", "vedette_theme=%22%3E"}, []string{`<html lang="zh" data-theme="system">`, `href="?lang=en&amp;to=%2fstats"`}},
	} {
		body := f.send(request("GET", c.path, c.header...)).Body.String()
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s %q: no %s in %s", c.path, c.header, want, body)
			}
		}
	}
	r := request("POST", "/auth/token", "Content-Type", "application/x-www-form-urlencoded", "Cookie", "vedette_lang=zh")
	if body := f.send(r).Body.String(); !strings.Contains(body, "没有令牌") {
		t.Errorf("a problem is not Chinese: %s", body)
	}
}
