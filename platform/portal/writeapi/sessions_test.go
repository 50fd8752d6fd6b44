package writeapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestEndSessions: an operator ends the sessions of a person, whose cookie then opens nothing. Others
// may not, and the audit has both.
func TestEndSessions(t *testing.T) {
	w := newWorld(t)
	browser := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	send := func(method, path, cookie, body string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, w.http.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer
	}
	cookies := map[string]string{}
	for _, person := range []string{"anna", "vera"} {
		answer := send(http.MethodPost, "/auth/token", "", url.Values{"token": {"token-of-" + person + "-0123456789"}}.Encode())
		cookies[person], _, _ = strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	}
	want := func(person string, status int) {
		t.Helper()
		if got := send(http.MethodGet, api.Prefix+api.PathSubscriptions, cookies[person], "").StatusCode; got != status {
			t.Errorf("the cookie of %s: got status %d, want %d", person, got, status)
		}
	}
	w.refused("ben", api.PathEndSessions, api.EndSessionsRequest{Person: "anna"}, http.StatusForbidden)
	w.refused("root", api.PathEndSessions, api.EndSessionsRequest{Person: " "}, http.StatusUnprocessableEntity)
	want("anna", http.StatusOK)
	post[api.Act](w, "root", api.PathEndSessions, api.EndSessionsRequest{Person: "anna"})
	want("anna", http.StatusUnauthorized)
	want("vera", http.StatusOK)
	acts := strings.Join(w.acts(), "\n")
	for _, who := range []string{"ben", "root"} {
		if !strings.Contains(acts, who) {
			t.Errorf("the audit lacks %s: %s", who, acts)
		}
	}
}
