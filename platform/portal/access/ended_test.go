package access

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// TestEndedSessions: after a sign-out, the context of an open stream sees and may do nothing, also
// without Config.Rights.
func TestEndedSessions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte("tokens:\n- name: ann\n  token: correct-horse-battery-staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	i, err := identity.New(identity.Config{Tokens: file})
	if err != nil {
		t.Fatal(err)
	}
	var stream context.Context
	csrf := ""
	h := i.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stream, csrf = r.Context(), i.CSRF(r.Context()) }))
	send := func(method, path, body string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		for n := 0; n < len(header); n += 2 {
			r.Header.Set(header[n], header[n+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	cookie, _, _ := strings.Cut(send("POST", "/auth/token", "token=correct-horse-battery-staple", "Content-Type", "application/x-www-form-urlencoded").Header().Get("Set-Cookie"), ";")
	send("GET", "/api/v1/stream", "", "Cookie", cookie)
	a := New(Config{Clusters: []Cluster{{Name: "prod"}}})
	ask := func() error {
		_, sight := a.Sight(stream)
		_, cluster := a.Cluster(stream, "prod")
		errs := []error{sight, cluster, a.May(stream, Right{Cluster: "prod", Verb: "create", Resource: "jobs"})}
		for _, err := range errs {
			if (err == nil) != (errs[0] == nil) {
				t.Errorf("they do not agree: %v", errs)
			}
		}
		return errs[0]
	}
	if err := ask(); err != nil {
		t.Fatalf("a session: got %v, want no error", err)
	}
	if w := send("DELETE", "/api/v1/session", "", "Cookie", cookie, identity.HeaderCSRF, csrf); w.Code != http.StatusNoContent {
		t.Fatalf("signing out: got status %d and %s, want 204", w.Code, w.Body)
	}
	var p *api.Problem
	if err := ask(); !errors.As(err, &p) || p.Type != api.ProblemSignIn {
		t.Errorf("a session that was ended: %v", err)
	}
}
