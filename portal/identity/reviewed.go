package identity

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"
)

// Limits of the cache of reviewed tokens.
const (
	reviewFor   = 30 * time.Second // how long an answer is cached
	refusedFor  = 10 * time.Second // how long a refusal is cached
	maxReviewed = 4096
)

// reviewer caches the clusters' answers about tokens.
type reviewer struct {
	ask func(context.Context, string) (Person, bool, error)
	now func() time.Time

	mu    sync.Mutex
	known map[[sha256.Size]byte]*reviewed
}

// reviewed is an answer about a token, or a review in progress.
type reviewed struct {
	done   chan struct{}
	until  time.Time // zero while the review is in progress
	person Person
	ok     bool
	err    error
}

func newReviewer(ask func(context.Context, string) (Person, bool, error)) *reviewer {
	return &reviewer{ask: ask, now: time.Now, known: map[[sha256.Size]byte]*reviewed{}}
}

// review returns the person of a token; false if no cluster knows it. Concurrent requests with one
// token share a review.
//
// Errors: errReview; the cause of ctx.
func (v *reviewer) review(ctx context.Context, token string) (Person, bool, error) {
	hash := sha256.Sum256([]byte(token))
	v.mu.Lock()
	one, now := v.known[hash], v.now()
	fresh := one == nil || !one.until.IsZero() && !now.Before(one.until)
	if fresh {
		v.shrink(now)
		one = &reviewed{done: make(chan struct{})}
		v.known[hash] = one
	}
	v.mu.Unlock()
	if fresh {
		v.answer(ctx, hash, one, token)
	}
	select {
	case <-one.done:
		return one.person, one.ok, one.err
	case <-ctx.Done():
		return Person{}, false, context.Cause(ctx)
	}
}

// answer reviews the token, and wakes all waiting requests.
func (v *reviewer) answer(ctx context.Context, hash [sha256.Size]byte, one *reviewed, token string) {
	// Other requests share the answer, so the end of one request must not cancel it.
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), providerTimeout)
	defer cancel()
	person, ok, err := v.ask(bound, token)
	v.mu.Lock()
	defer v.mu.Unlock()
	one.person, one.ok = person, ok
	switch {
	case err != nil:
		one.err, one.ok = errReview, false
		delete(v.known, hash)
	case ok:
		one.until = v.now().Add(reviewFor)
	default:
		one.until = v.now().Add(refusedFor)
	}
	close(one.done)
}

// shrink frees a place for one more answer.
func (v *reviewer) shrink(now time.Time) {
	if len(v.known) < maxReviewed {
		return
	}
	for hash, one := range v.known {
		if !one.until.IsZero() && (now.After(one.until) || len(v.known) >= maxReviewed) {
			delete(v.known, hash)
		}
	}
}
