package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestConcurrencyLimit: a person may have a limited number of requests answered at once. Further
// ones wait, and are refused after 5 s; other people do not wait.
func TestConcurrencyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := NewConcurrencyLimit(2)
		release := make(chan struct{})
		h := all.Handler(func(r *http.Request) string { return r.Header.Get("Person") }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				<-release
			}
		}))
		ask := func(person, path string) (status func() int) {
			w := httptest.NewRecorder()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
				r.Header.Set("Person", person)
				h.ServeHTTP(w, r)
			}()
			return func() int {
				<-ended
				return w.Code
			}
		}
		slow := []func() int{ask("anna", "/slow"), ask("anna", "/slow")}
		synctest.Wait()
		began := time.Now()
		for _, person := range []string{"ben", ""} {
			if got := ask(person, "/")(); got != http.StatusOK || time.Since(began) > 0 {
				t.Errorf("a request of %q: %d after %v", person, got, time.Since(began))
			}
		}
		if got := ask("anna", "/")(); got != http.StatusTooManyRequests || time.Since(began) != slotTime {
			t.Errorf("a third one: %d after %v", got, time.Since(began))
		}
		waits := ask("anna", "/")
		synctest.Wait()
		close(release)
		for _, status := range append(slow, waits) {
			if got := status(); got != http.StatusOK {
				t.Errorf("at the end: %d", got)
			}
		}
		if len(all.all) > 0 {
			t.Errorf("%d persons are remembered", len(all.all))
		}
	})
}
