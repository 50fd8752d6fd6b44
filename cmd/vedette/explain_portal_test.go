package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestNoPortal checks the errors for servers other than a portal, for proxies, and for network
// faults: one line with a remedy, without a mention of kubeconfigs.
func TestNoPortal(t *testing.T) {
	home(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	serves := func(start func(http.Handler) *httptest.Server, h http.HandlerFunc) string {
		s := start(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	page := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>sign in</html>")) }
	for name, c := range map[string]struct{ url, want string }{
		"a closed port": {closed.URL, "is the portal running, and is the address right? (--server)"},
		"a page":        {serves(httptest.NewServer, page), "is not JSON of this API, so it is not a portal, or a proxy in front of it requires its own sign-in: check the address"},
		"a redirect": {serves(httptest.NewServer, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://id.example.com/login?secret=x", http.StatusFound)
		}), "answered 302 Found with a redirect to https://id.example.com, so it is not a portal"},
		"a proxy whose portal is away": {serves(httptest.NewServer, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }), "answered 502 Bad Gateway, so it is a proxy whose portal does not answer. Try again\n"},
		"an unknown authority":         {serves(httptest.NewTLSServer, page), "--server-ca names a file with the certificate of its authority\n"},
		"another name":                 {strings.Replace(serves(httptest.NewTLSServer, page), "127.0.0.1", "localhost", 1), "use a host name that the certificate has (--server)\n"},
		"http to a server with TLS":    {strings.Replace(serves(httptest.NewTLSServer, page), "https", "http", 1), "answered 400 Bad Request. If it has TLS, its address begins with https: check the address\n"},
		"https to one without":         {strings.Replace(serves(httptest.NewServer, page), "http", "https", 1), "check the address (--server): a portal without TLS needs http\n"},
		"a proxy's own sign-in":        {serves(httptest.NewServer, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }), "requires its own sign-in: check the address\n"},
		"an unknown host":              {"https://nowhere.invalid", "check the address (--server), and the network or VPN"},
	} {
		for _, line := range []string{"jobs -A", "history pods/a", "logs a -n x", "logs a -n x -f", "template ls", "subscribe ls", "submit --image a -n x", "login"} {
			out, errs := ended(t, 1, append(strings.Fields(line), "--server", c.url)...)
			if out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) || strings.Contains(errs, "kubeconfig") || strings.Contains(errs, "secret") {
				t.Errorf("%s: %s: printed %q, said %q; want one line with %q", name, line, out, errs, c.want)
			}
		}
	}
}
