package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/localtoken"
)

// portalAt matches the line with the address of a portal.
var portalAt = regexp.MustCompile(`open (http://\S+)`)

// portal checks settings, responses and logs of a portal with hostile text.
func (h *hostile) portal(t *testing.T) {
	for _, args := range [][]string{
		{"--listen", evil},
		{"--listen", "0.0.0.0:0"},
		{"--tls-cert", evil, "--tls-key", evil},
		{"--sign-in-tokens", evil},
		{"--oidc-issuer", "https://" + evil, "--oidc-client", evil},
		{"--oidc-client", evil},
		{"--trusted-proxy", evil},
		{"--portal-url", evil},
		{"--portal-templates", evil},
		{"--session-key", evil},
		{"--insecure-loopback", "--trusted-proxy", "10.0.0.0/24"},
		{"--notify", evil},
		{"--context", evil, "--kubeconfig", h.srv.kubeconfig},
	} {
		if _, errs, code := h.run(append([]string{"portal", "--db", h.db}, args...)...); code != 1 || !strings.HasPrefix(errs, "vedette: ") {
			t.Errorf("%q: exit code %d, said %s; want 1 and an error", args, code, errs)
		}
	}
	p := start(t, "portal", "--db", h.db, "--listen", "127.0.0.1:0", "--kubeconfig", h.srv.kubeconfig)
	p.err.until(t, "the address", func(text string) bool { return portalAt.MatchString(text) })
	base := portalAt.FindStringSubmatch(p.err.String())[1]
	for _, path := range []string{"/jobs", "/find/" + strings.Repeat(url.PathEscape(evil)+"/", 3) + url.PathEscape(evil), "/api/v1/" + url.PathEscape(evil), "/api/v1/stream?after=" + url.QueryEscape(evil), "/api/v1/stream?after=0"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		token, err := localtoken.Read()
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body := beginning(resp.Body)
		_ = resp.Body.Close()
		if c := controls.Find(body); c != nil || resp.Header.Get("Content-Security-Policy") == "" || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: got %q in %q, headers %v; want no control characters and both headers", path, c, body, resp.Header)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	for _, server := range []string{evil, "http://" + evil, base + "/" + evil} {
		if _, errs, code := h.run("portal", "url", "--server", server); code != 1 || !strings.HasPrefix(errs, "vedette: ") {
			t.Errorf("portal url --server %q: exit code %d, said %s; want 1 and an error", server, code, errs)
		}
	}
	for _, args := range [][]string{{evil}, {evil, "--server", evil}, {evil, "--server", base}} {
		if _, errs, code := h.run(append([]string{"portal", "end-sessions"}, args...)...); code != 1 || !strings.HasPrefix(errs, "vedette: ") {
			t.Errorf("portal end-sessions %q: exit code %d, said %s; want 1 and an error", args, code, errs)
		}
	}
	p.interrupt()
	prints(t, "portal", p.err.String()+p.out.String())
}

// beginning returns a body, or a stream up to its first event.
func beginning(in io.Reader) []byte {
	var text []byte
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		text = append(text, line...)
		if err != nil || bytes.HasPrefix(line, []byte("data:")) {
			return text
		}
	}
}
