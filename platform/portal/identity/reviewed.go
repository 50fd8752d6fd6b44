package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Limits of the cache of reviewed tokens.
const (
	reviewFor   = 30 * time.Second // how long an answer is cached
	refusedFor  = 10 * time.Second // how long a refusal is cached
	maxReviewed = 4096
)

// reviewer caches the clusters' answers about tokens.
type reviewer struct {
	ask func(ctx context.Context, token, cluster string) (Person, bool, error)
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

func newReviewer(ask func(ctx context.Context, token, cluster string) (Person, bool, error)) *reviewer {
	return &reviewer{ask: ask, now: time.Now, known: map[[sha256.Size]byte]*reviewed{}}
}

// review returns the person of a token; false if its cluster does not know it. cluster is the one
// that the client has named, or empty. Concurrent requests with one token share a review.
//
// Errors: those of Config.Review that are problems; errReview; the cause of ctx.
func (v *reviewer) review(ctx context.Context, token, cluster string) (Person, bool, error) {
	hash := sha256.Sum256([]byte(strconv.Itoa(len(cluster)) + " " + cluster + token))
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
		v.answer(ctx, hash, one, token, cluster)
	}
	select {
	case <-one.done:
		return one.person, one.ok, one.err
	case <-ctx.Done():
		return Person{}, false, context.Cause(ctx)
	}
}

// answer reviews the token, and wakes all waiting requests.
func (v *reviewer) answer(ctx context.Context, hash [sha256.Size]byte, one *reviewed, token, cluster string) {
	// Other requests share the answer, so the end of one request must not cancel it.
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), providerTimeout)
	defer cancel()
	person, ok, err := v.ask(bound, token, cluster)
	if ok && !acceptable(person) {
		ok = false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	one.person, one.ok = person, ok
	switch {
	case err != nil:
		var refusal *api.Problem
		if one.err, one.ok = errReview, false; errors.As(err, &refusal) {
			one.err = refusal
		}
		delete(v.known, hash)
	case ok:
		one.until = v.now().Add(reviewFor)
	default:
		one.until = v.now().Add(refusedFor)
	}
	close(one.done)
}

// acceptable reports whether the names of a person are safe in headers, logs and annotations. An
// API server may be hostile.
func acceptable(p Person) bool {
	return usable(p.Name) && len(p.Groups) <= maxGroups && !slices.ContainsFunc(p.Groups, func(g string) bool { return !usable(g) })
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
