package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// slotTime is how long a request waits for a slot.
const slotTime = 5 * time.Second

// ConcurrencyLimit limits how many requests of each person or address are answered at once, so that
// expensive requests of one person do not take all processors. Any goroutine may use it.
type ConcurrencyLimit struct {
	most int

	mu  sync.Mutex
	all map[string]*slots
}

// slots are the slots of a key. They are removed with its last request.
type slots struct {
	held  chan struct{}
	users int // requests that hold a slot or wait for one
}

// NewConcurrencyLimit returns a limit of most requests at once for each key.
func NewConcurrencyLimit(most int) *ConcurrencyLimit {
	return &ConcurrencyLimit{most: most, all: map[string]*slots{}}
}

// Handler returns a handler that lets requests wait for a slot, at most 5 s, and then refuses them
// with a problem. key returns the person or the address of a request; requests with an empty key do
// not wait.
func (c *ConcurrencyLimit) Handler(key func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k := key(r); k != "" {
			done, ok := c.take(r.Context(), k)
			if !ok {
				Fail(w, r, TooMany(time.Second))
				return
			}
			defer done()
		}
		next.ServeHTTP(w, r)
	})
}

// take waits for a slot of a key. It returns false if none became free in time.
func (c *ConcurrencyLimit) take(ctx context.Context, key string) (done func(), ok bool) {
	c.mu.Lock()
	one := c.all[key]
	if one == nil {
		one = &slots{held: make(chan struct{}, c.most)}
		c.all[key] = one
	}
	one.users++
	c.mu.Unlock()
	timer := time.NewTimer(slotTime)
	defer timer.Stop()
	select {
	case one.held <- struct{}{}:
		return func() {
			<-one.held
			c.leave(key, one)
		}, true
	case <-timer.C:
	case <-ctx.Done():
	}
	c.leave(key, one)
	return nil, false
}

// leave removes the slots of a key without requests.
func (c *ConcurrencyLimit) leave(key string, one *slots) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(c.all, key)
	}
}
