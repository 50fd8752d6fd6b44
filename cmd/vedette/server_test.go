package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/cmd/vedette/internal/httpserver"
)

// TestServerHosts checks that pages of other sites cannot read the health and metrics of a recorder
// on a loopback address, and that browsers treat them as text.
func TestServerHosts(t *testing.T) {
	for _, c := range []struct {
		name, host string
		change     func(*httpserver.Config)
		readyz     int
	}{
		{"this machine", "127.0.0.1:9101", nil, http.StatusServiceUnavailable},
		{"another name", "evil.example.com", nil, http.StatusForbidden},
		{"a name of its own", "rec.local:9101", func(l *httpserver.Config) { l.Hosts = []string{"rec.local"} }, http.StatusServiceUnavailable},
		{"people sign in", "evil.example.com", func(l *httpserver.Config) { l.SignsIn = true }, http.StatusServiceUnavailable},
		{"others reach it", "10.0.0.7:9101", func(l *httpserver.Config) { l.Addr = "0.0.0.0:0" }, http.StatusServiceUnavailable},
	} {
		l := httpserver.Config{Addr: "127.0.0.1:0", Ready: func(context.Context) error { return errors.New("<script>alert(1)</script>") }}
		if c.change != nil {
			c.change(&l)
		}
		s, err := httpserver.New(l)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Listener.Close() })
		for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": c.readyz, "/metrics": map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[c.readyz != http.StatusForbidden]} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = c.host
			w := httptest.NewRecorder()
			s.Handler.ServeHTTP(w, r)
			if w.Code != want || path == "/readyz" && strings.Contains(w.Header().Get("Content-Type"), "html") {
				t.Errorf("%s: %s: got status %d and type %s, want %d, and no HTML from /readyz", c.name, path, w.Code, w.Header().Get("Content-Type"), want)
			}
		}
	}
}
