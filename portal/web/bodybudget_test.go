package web

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestBodyBudget: the bodies that are held never exceed the budget of all people or the share of a
// person. Requests wait for their share, and are refused after 5 s before a byte is read.
func TestBodyBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBodyBudget(3*SubmitLimit, 2*SubmitLimit)
		release := make(chan struct{})
		var read atomic.Int64
		h := budget.Handler(func(r *http.Request) string { return r.Header.Get("Person") }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			read.Add(n)
			if r.URL.Path == "/slow" {
				<-release
			}
		}))
		ask := func(person, path string, size int64) (status func() int) {
			w := httptest.NewRecorder()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader(make([]byte, max(size, 100))))
				r.ContentLength = size
				r.Header.Set("Person", person)
				h.ServeHTTP(w, r)
			}()
			return func() int {
				<-ended
				return w.Code
			}
		}
		slow := []func() int{ask("anna", "/slow", SubmitLimit), ask("anna", "/slow", -1)} // the second one does not tell its length
		synctest.Wait()
		before, began := read.Load(), time.Now()
		if got := ask("anna", "/", 100)(); got != http.StatusTooManyRequests || time.Since(began) != slotTime || read.Load() != before {
			t.Errorf("a third body of one person: %d after %v, %d bytes read", got, time.Since(began), read.Load()-before)
		}
		if got := ask("anna", "/", 0)(); got != http.StatusOK {
			t.Errorf("a request without a body: %d", got)
		}
		if got := ask("ben", "/", SubmitLimit)(); got != http.StatusOK {
			t.Errorf("the body of another person: %d", got)
		}
		slow = append(slow, ask("ben", "/slow", SubmitLimit))
		synctest.Wait()
		if got := ask("eve", "/", 1)(); got != http.StatusTooManyRequests {
			t.Errorf("more than all people may hold: %d", got)
		}
		waits := ask("eve", "/", SubmitLimit)
		synctest.Wait()
		close(release)
		for _, status := range append(slow, waits) {
			if got := status(); got != http.StatusOK {
				t.Errorf("at the end: %d", got)
			}
		}
		if budget.held != 0 || len(budget.of) > 0 {
			t.Errorf("%d bytes of %d people are held at the end", budget.held, len(budget.of))
		}
	})
}
