package web

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
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
			switch r.URL.Path {
			case "/slow":
				<-release
			case "/panic":
				panic(http.ErrAbortHandler)
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
				defer func() { _ = recover() }() // as the server
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
		ask("ben", "/panic", SubmitLimit)()
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

// TestBudgetOfSlowBodies: a client that does not send its body holds the budget for 5 s, with and
// without a length, also if it sends a byte now and then.
func TestBudgetOfSlowBodies(t *testing.T) {
	for _, c := range []struct {
		header string
		drips  bool
	}{{"Content-Length: 2000000", false}, {"Transfer-Encoding: chunked", false}, {"Content-Length: 2000000", true}} {
		synctest.Test(t, func(t *testing.T) {
			budget, mux := NewBodyBudget(SubmitLimit, SubmitLimit), http.NewServeMux()
			Post(NewAPI(mux, "v0"), "/read", "read", "Read a job", func(context.Context, *struct{ Body struct{ A string } }) (*struct{}, error) {
				t.Error("the handler is called without the body")
				return nil, nil
			}, Body(SubmitLimit))
			l := make(pipes)
			serveBounded(t, l, 10, budget.Handler(func(*http.Request) string { return "anna" }, mux).ServeHTTP)
			conn, server := net.Pipe()
			defer func() { _ = conn.Close() }()
			l <- server
			began := time.Now()
			if _, err := io.WriteString(conn, "POST "+api.Prefix+"/read HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+c.header+"\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			var dripping sync.WaitGroup
			if c.drips {
				dripping.Go(func() {
					for {
						if _, err := conn.Write([]byte(" ")); err != nil {
							return // the server has closed the connection
						}
						<-time.After(time.Second) // in fake time
					}
				})
			}
			synctest.Wait()
			budget.mu.Lock()
			held := budget.held
			budget.mu.Unlock()
			answer, err := io.ReadAll(conn)
			dripping.Wait()
			if took := time.Since(began); held == 0 || took < 5*time.Second || took > 5*time.Second+2*restTime || !strings.Contains(string(answer), "408") {
				t.Errorf("%s: %d bytes held, %.100q and error %v after %v; want 408 after 5 s", c.header, held, answer, err, took)
			}
			if budget.held != 0 {
				t.Errorf("%s: %d bytes are held at the end", c.header, budget.held)
			}
		})
	}
}
