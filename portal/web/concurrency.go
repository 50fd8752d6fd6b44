package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// turnTime is how long a request waits for its turn.
const turnTime = 5 * time.Second

// Turns bounds how many requests of each person or address are answered at once, so that the
// expensive ones of one person leave the processors to others. Any goroutine may use it.
type Turns struct {
	most int

	mu  sync.Mutex
	all map[string]*turns
}

// turns are those of a key. They are forgotten with their last request.
type turns struct {
	held  chan struct{}
	users int // that hold a turn or wait for one
}

// NewTurns returns Turns that let most requests of a key be answered at once.
func NewTurns(most int) *Turns { return &Turns{most: most, all: map[string]*turns{}} }

// Handler returns a handler that lets requests wait for their turn, at most 5 s, and refuses
// them then as problems. key names the person or the address of a request; requests with an empty
// key do not wait.
func (t *Turns) Handler(key func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k := key(r); k != "" {
			done, ok := t.take(r.Context(), k)
			if !ok {
				Fail(w, r, TooMany(time.Second))
				return
			}
			defer done()
		}
		next.ServeHTTP(w, r)
	})
}

// take waits for a turn of a key. It returns false if there was none in time.
func (t *Turns) take(ctx context.Context, key string) (done func(), ok bool) {
	t.mu.Lock()
	one := t.all[key]
	if one == nil {
		one = &turns{held: make(chan struct{}, t.most)}
		t.all[key] = one
	}
	one.users++
	t.mu.Unlock()
	timer := time.NewTimer(turnTime)
	defer timer.Stop()
	select {
	case one.held <- struct{}{}:
		return func() {
			<-one.held
			t.leave(key, one)
		}, true
	case <-timer.C:
	case <-ctx.Done():
	}
	t.leave(key, one)
	return nil, false
}

// leave forgets the turns of a key that nobody uses.
func (t *Turns) leave(key string, one *turns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(t.all, key)
	}
}
