package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// BodyBudget limits the memory of the bodies of all requests together, and of each person or
// address. A request takes its share before its body is read, so people cannot make the server hold
// more than the budget, whatever they send. Any goroutine may use it.
type BodyBudget struct {
	all, each int64

	mu    sync.Mutex
	held  int64
	of    map[string]int64
	freed chan struct{} // closed when a request gives its share back
}

// NewBodyBudget returns a budget of all bytes, of which each person or address may hold each. Both
// must be at least SubmitLimit.
func NewBodyBudget(all, each int64) *BodyBudget {
	return &BodyBudget{all: all, each: each, of: map[string]int64{}, freed: make(chan struct{})}
}

// Handler returns a handler that lets requests wait for their share, at most 5 s, and then refuses
// them with a problem. The share is the length of the body, or SubmitLimit if the client does not
// tell it; a request without a body does not wait. key returns the person or the address of a
// request; requests with an empty key share the whole budget.
func (b *BodyBudget) Handler(key func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bytes := min(r.ContentLength, SubmitLimit) // a longer body is refused before it is read
		if bytes < 0 {
			bytes = SubmitLimit
		}
		if bytes > 0 {
			k := key(r)
			if !b.take(r.Context(), k, bytes) {
				Fail(w, r, TooMany(time.Second))
				return
			}
			defer b.give(k, bytes)
		}
		next.ServeHTTP(w, r)
	})
}

// take waits for bytes of the budget. It returns false if they did not become free in time.
func (b *BodyBudget) take(ctx context.Context, key string, bytes int64) bool {
	timer := time.NewTimer(slotTime)
	defer timer.Stop()
	for {
		b.mu.Lock()
		if b.held+bytes <= b.all && (key == "" || b.of[key]+bytes <= b.each) {
			b.held += bytes
			b.of[key] += bytes
			b.mu.Unlock()
			return true
		}
		freed := b.freed
		b.mu.Unlock()
		select {
		case <-freed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// give returns bytes to the budget.
func (b *BodyBudget) give(key string, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held -= bytes
	if b.of[key] -= bytes; b.of[key] == 0 {
		delete(b.of, key)
	}
	close(b.freed)
	b.freed = make(chan struct{})
}
