package portal_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// listen serves the handler of a portal that does not run, until the test ends.
func listen(t *testing.T, p *portal.Portal) (address string) {
	t.Helper()
	server := httptest.NewServer(p.Handler())
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// TestAttackPaths: no path reaches files outside of the portal or another site.
func TestAttackPaths(t *testing.T) {
	s := newWorld(t).serve(nil).ready()
	for _, path := range []string{
		"/assets/../../../../etc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets/..%2f..%2fetc%2fpasswd", "/assets/..\\..\\etc\\passwd", "/assets/", "/assets", "/index.html",
		"//evil.example.com/", "//evil.example.com/..", "/\\evil.example.com", "/%2f%2fevil.example.com", "/jobs//evil.example.com/%2e%2e", "/find/a/b/c/%2f%2fevil.example.com",
		"/api/v1/../../healthz", "/api/v1/jobs/west/..%2f..%2fsession", "/api/v1/jobs/west/%00", "/api/v1/%2e%2e/%2e%2e/metrics", "/.git/config", "/debug/pprof/", "/api/v1/jobs/" + strings.Repeat("x", 300) + "/y",
		"/auth/../api/v1/session", "/auth/%2e%2e/metrics", "/auth/login?return=//evil.example.com", "/auth/signin?next=https://evil.example.com",
	} {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(patience.Limit(t)))
		if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, s.address); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("%s: no answer: %v", path, err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("%s: no body: %v", path, err)
		}
		_ = resp.Body.Close()
		_ = c.Close()
		to := resp.Header.Get("Location")
		if bytes.Contains(body, []byte("root:")) || strings.HasPrefix(to, "//") || strings.HasPrefix(to, "/\\") || strings.Contains(to, "://") || resp.StatusCode >= 500 {
			t.Errorf("%s: got status %d, location %q, body %.200q; want no file, no other host and no server error", path, resp.StatusCode, to, body)
		}
	}
}

// TestAttackWrites: a write needs the token of a page, the media type of the API, and a host
// name of this machine.
func TestAttackWrites(t *testing.T) {
	s := newWorld(t).serve(nil).ready()
	csrf := get[api.Session](s, "/api/v1/session").CSRF
	const path, body = "/api/v1/submit/render", `{"template":"none","values":{}}`
	for _, c := range []struct {
		name   string
		header []string
		body   string
		want   []int
	}{
		{"no token", []string{"Content-Type", "application/json"}, body, []int{403}},
		{"a wrong token", []string{"Content-Type", "application/json", identity.HeaderCSRF, csrf + "x"}, body, []int{403}},
		{"a form", []string{"Content-Type", "application/x-www-form-urlencoded", identity.HeaderCSRF, csrf}, body, []int{400, 403, 415, 422}},
		{"another site", []string{"Content-Type", "application/json", identity.HeaderCSRF, csrf, "Origin", "https://evil.example.com", "Sec-Fetch-Site", "cross-site"}, body, []int{403}},
		{"another host", []string{"Content-Type", "application/json", identity.HeaderCSRF, csrf, "Host", "evil.example.com"}, body, []int{403, 421}},
		{"an untrusted proxy", []string{"Content-Type", "application/json", "X-Remote-User", "admin", "X-Forwarded-For", "10.0.0.1"}, body, []int{403}},
		{"a large body", []string{"Content-Type", "application/json", identity.HeaderCSRF, csrf}, `{"template":"` + strings.Repeat("x", 3<<20) + `"}`, []int{413}},
		{"deep JSON", []string{"Content-Type", "application/json", identity.HeaderCSRF, csrf}, strings.Repeat("[", 100_000), []int{400, 422}},
		{"as the pages do", []string{"Content-Type", "application/json", identity.HeaderCSRF, csrf}, body, []int{404}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var status int
			var header http.Header
			var text string
			patience.Until(t, "the portal reads the request in time", func() string {
				if status, header, text = s.send(http.MethodPost, path, c.body, c.header...); status == http.StatusRequestTimeout {
					return text // the machine is slow
				}
				return ""
			})
			ok := false
			for _, w := range c.want {
				ok = ok || status == w
			}
			if !ok || header.Get("Content-Type") != api.ProblemType || header.Get("Content-Security-Policy") == "" {
				t.Errorf("got status %d, headers %v, body %.300s; want a problem with %v", status, header, text, c.want)
			}
		})
	}
}

// TestAttackHost: without sign-in, another site cannot read the portal by resolving its name to
// this machine.
func TestAttackHost(t *testing.T) {
	s := newWorld(t).serve(func(c *portal.Config) { c.Metrics = true }).ready()
	if status, _, text := s.send(http.MethodGet, "/metrics", ""); status != http.StatusOK || !strings.Contains(text, "vedette_portal_") {
		t.Errorf("metrics on this machine: %d %.100s", status, text)
	}
	for _, path := range []string{"/api/v1/jobs", "/api/v1/stream", "/jobs", "/find/a/b/c/d", "/api/v1/openapi.json", "/metrics"} {
		if status, _, text := s.send(http.MethodGet, path, "", "Host", "evil.example.com"); status < 400 {
			t.Errorf("%s under another host: got status %d and %.100s, want a refusal", path, status, text)
		}
	}
}

// TestAttackWithoutToken: without a token, only the sign-in page can be read.
func TestAttackWithoutToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte("tokens:\n- name: ann\n  token: correct-horse-battery-staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	s := w.serve(func(c *portal.Config) { c.Identity.Tokens = file }).ready()
	for path := range s.portal.API().OpenAPI().Paths {
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		for _, header := range [][]string{nil, {"Authorization", "Bearer wrong-horse-battery-staple"}, {"Authorization", "Basic YW5uOmFubg=="}, {"Cookie", "vedette_session=x"}, {"X-Remote-User", "ann"}} {
			if status, _, text := s.send(http.MethodGet, path, "", header...); status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
				t.Errorf("%s with %v: got status %d and %.100s, want 401 or 429", path, header, status, text)
			}
		}
	}
	if status, _, text := s.send(http.MethodGet, "/find/a/b/c/d", ""); status < 300 {
		t.Errorf("find without a token: got status %d and %.100s, want 300 or more", status, text)
	}
}

// TestAttackBehindProxy: behind a trusted proxy, limits count the clients, not the proxy. Other
// senders cannot claim to be a client.
func TestAttackBehindProxy(t *testing.T) {
	w := newWorld(t)
	p, err := portal.New(portal.Config{DB: w.db, Identity: identity.Config{Proxy: &identity.Proxy{CIDRs: []string{"10.0.0.1/32"}}}})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { // limits count in fake time, so that a slow machine sends as much as a fast one
		get := func(from, forwarded string) int {
			r := httptest.NewRequest(http.MethodGet, "/licenses.txt", nil)
			r.RemoteAddr = from + ":1"
			r.Header.Set("X-Forwarded-For", forwarded)
			answer := httptest.NewRecorder()
			p.Handler().ServeHTTP(answer, r)
			return answer.Code
		}
		flood := func(from, forwarded string) (status int) {
			for range 300 {
				status = get(from, forwarded)
			}
			return status
		}
		if got := flood("10.0.0.1", "198.51.100.9, 203.0.113.1"); got != http.StatusTooManyRequests {
			t.Errorf("a flood of one client: %d", got)
		}
		if got := get("10.0.0.1", "203.0.113.77, 203.0.113.1"); got != http.StatusTooManyRequests {
			t.Errorf("the client with a forged beginning of the header: %d", got)
		}
		if got := get("10.0.0.1", "203.0.113.2"); got != http.StatusOK {
			t.Errorf("another client: got status %d, want 200", got)
		}
		for n := range 300 {
			get("192.0.2.1", fmt.Sprint("203.0.113.", n))
		}
		if got := get("192.0.2.1", "203.0.113.99"); got != http.StatusTooManyRequests {
			t.Errorf("a client that is not a proxy and claims many addresses: %d", got)
		}
	})
}

// TestAttackSignedOut: after a sign-out, all replicas refuse a copy of the cookie within seconds.
func TestAttackSignedOut(t *testing.T) {
	folder := t.TempDir()
	tokens, key := filepath.Join(folder, "tokens.yaml"), filepath.Join(folder, "key")
	if err := errors.Join(os.WriteFile(tokens, []byte("tokens:\n- name: ann\n  token: correct-horse-battery-staple\n"), 0o600), os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600)); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	replica := func() *served {
		return w.serve(func(c *portal.Config) { c.Identity.Tokens, c.Identity.Key = tokens, key }).ready()
	}
	one, other := replica(), replica()
	_, header, _ := one.send(http.MethodPost, "/auth/token", "token=correct-horse-battery-staple", "Content-Type", "application/x-www-form-urlencoded")
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	status, _, text := other.send(http.MethodGet, "/api/v1/session", "", "Cookie", cookie)
	var session api.Session
	if err := json.Unmarshal([]byte(text), &session); err != nil || status != http.StatusOK || session.Person != "ann" {
		t.Fatalf("session: got status %d, %s and error %v; want 200 and ann", status, text, err)
	}
	if status, _, text := one.send(http.MethodDelete, "/api/v1/session", "", "Cookie", cookie, identity.HeaderCSRF, session.CSRF); status != http.StatusNoContent {
		t.Fatalf("logout: got status %d and %s, want 204", status, text)
	}
	patience.Until(t, "the other replica refuses the cookie", func() string {
		if status, _, text := other.send(http.MethodGet, "/api/v1/session", "", "Cookie", cookie); status != http.StatusUnauthorized {
			return fmt.Sprintf("status %d, %s", status, text)
		}
		return ""
	})
}

// TestAttackHeaders: a flood of headers ends the connection, and a request may be sent in any
// number of packets, but only for some seconds.
func TestAttackHeaders(t *testing.T) {
	s := newWorld(t).serve(nil).ready()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	go func() {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+s.address+"\r\n") // the portal closes first
		for i := range 100_000 {
			if _, err := fmt.Fprintf(c, "X-%d: %s\r\n", i, strings.Repeat("x", 100)); err != nil {
				return
			}
		}
	}()
	answer, _ := bufio.NewReader(c).ReadString('\n') // an empty answer fails below
	if !strings.Contains(answer, "431") {
		t.Errorf("got %q, want a text with %q", answer, "431")
	}
}

// TestAttackConnections: 2,000 idle and half-open connections do not keep others out, and end
// with the portal.
func TestAttackConnections(t *testing.T) {
	s := newWorld(t).serve(nil).ready()
	for i := range 2000 {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if i%2 == 0 {
			_, _ = io.WriteString(c, "GET /api/v1/jobs HTTP/1.1\r\nHo") // and no more
		}
	}
	if status, _, text := s.send(http.MethodGet, "/api/v1/jobs", ""); status != http.StatusOK {
		t.Errorf("jobs with slow connections open: got status %d and %.100s, want 200", status, text)
	}
	s.stop() // with open connections
}

// TestStreamsTakeNoSlots: a person may have few reads at once; streams do not count.
func TestStreamsTakeNoSlots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte("tokens:\n- name: ann\n  token: correct-horse-battery-staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newWorld(t).serve(func(c *portal.Config) { c.Identity.Tokens = file }).ready()
	for range 10 { // more than the reads at once
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.address+"/api/v1/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer correct-horse-battery-staple")
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
	}
	if status, _, text := s.send(http.MethodGet, "/api/v1/jobs", "", "Authorization", "Bearer correct-horse-battery-staple"); status != http.StatusOK {
		t.Errorf("a read beside 10 streams: %d %.100s", status, text)
	}
}
