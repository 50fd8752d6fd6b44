package identity

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestUnsubscribe: the server of a mail program stops messages by a POST without a cookie and
// without the token of a page (RFC 8058). Opening the link changes nothing, and the link opens
// nothing else.
func TestUnsubscribe(t *testing.T) {
	var stopped []string
	failed := error(nil)
	for name, cfg := range map[string]Config{"with sign-in": {Tokens: tokens(t, anna)}, "without": {LocalToken: strings.Repeat("x", 64)}} {
		stopped = nil
		cfg.Unsubscribe = func(_ context.Context, token string) (bool, error) {
			stopped = append(stopped, token)
			return token == "right.token", failed
		}
		f := newFixture(t, cfg)
		send := func(method, path string, header ...string) *httptest.ResponseRecorder {
			r := request(method, path, header...)
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			return w
		}
		for _, c := range []struct {
			method, token string
			header        []string
			status, calls int
		}{
			{"GET", "right.token", nil, 200, 0},
			{"HEAD", "right.token", nil, 200, 0},
			{"POST", "right.token", []string{"Content-Type", "application/x-www-form-urlencoded"}, 200, 1},
			{"POST", "wrong", nil, 404, 1},
			{"PUT", "right.token", nil, 405, 0},
			{"POST", "right.token", []string{"Origin", "https://evil.example.com", "Sec-Fetch-Site", "cross-site"}, 403, 0},
		} {
			stopped = nil
			w := send(c.method, pathUnsubscribe+c.token, c.header...)
			if w.Code != c.status || len(stopped) != c.calls || c.calls > 0 && stopped[0] != c.token {
				t.Errorf("%s: %s %s %q: got status %d and %q, want %d and %d calls", name, c.method, c.token, c.header, w.Code, stopped, c.status, c.calls)
			}
			if len(w.Result().Cookies()) != 0 {
				t.Errorf("%s: %s gets a cookie", name, c.method)
			}
		}
		if w := send("POST", "/api/v1/stop"); w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden {
			t.Errorf("%s: another write: got status %d", name, w.Code)
		}
		failed = errors.New("no database")
		if w := send("POST", pathUnsubscribe+"right.token"); w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "database answers") {
			t.Errorf("%s: a failure: got status %d", name, w.Code)
		}
		failed = nil
	}
}
