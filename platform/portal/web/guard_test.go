package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/web"
)

// TestPanic: the person receives a fault with an instance, and the log has the cause.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	h := web.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("hunter2") }), true, slog.New(slog.NewTextHandler(&log, nil)))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, get("/api/v1/x"))
	p := problem(t, w)
	if p.Status != 500 || strings.Contains(w.Body.String(), "hunter2") || !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "instance="+p.Instance) {
		t.Errorf("got %s, want 500 and the secret only in the log: %s", w.Body, &log)
	}
}

// TestHeaders: every answer, including problems, restricts the browser.
func TestHeaders(t *testing.T) {
	h := web.Guard(http.NotFoundHandler(), true, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, get("/x"))
	for name, want := range map[string]string{
		"Content-Security-Policy": "script-src 'self';", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Strict-Transport-Security": "max-age",
		"X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": "camera=()", "Cache-Control": "no-store",
	} {
		if got := w.Header().Get(name); !strings.Contains(got, want) || strings.Contains(got, "unsafe") {
			t.Errorf("%s: got %s, want %s and nothing unsafe", name, got, want)
		}
	}
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %s: %s", part, policy)
		}
	}
	w = httptest.NewRecorder()
	web.Guard(http.NotFoundHandler(), false, nil).ServeHTTP(w, get("/x"))
	if w.Header().Get("Strict-Transport-Security") != "" {
		t.Error("HSTS without TLS")
	}
}

// TestLongURL: a request with a long URL is refused before anything reads it.
func TestLongURL(t *testing.T) {
	h := web.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is served") }), false, nil)
	for _, url := range []string{"/api/v1/jobs?q=" + strings.Repeat("x", 9000), "/api/v1/%00"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, get(url))
		if p := problem(t, w); p.Status != http.StatusBadRequest {
			t.Errorf("got status %v, want %v", p.Status, http.StatusBadRequest)
		}
	}
}

// TestCompression: an answer is compressed for clients that understand it.
func TestCompression(t *testing.T) {
	for _, c := range []struct {
		accepts string
		size    int
		want    string
	}{{"gzip, br", 5000, "gzip"}, {"gzip;q=0", 5000, ""}, {"gzip;q=0.5", 5000, "gzip"}, {"br", 5000, ""}, {"", 5000, ""}, {"gzip", 10, ""}} {
		r := get("/")
		r.Header.Set("Accept-Encoding", c.accepts)
		w := httptest.NewRecorder()
		web.Write(w, r, 200, "text/plain", bytes.Repeat([]byte("x"), c.size))
		if got := w.Header().Get("Content-Encoding"); got != c.want || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%+v: got encoding %q, want %q, and Vary", c, got, c.want)
		}
	}
}
