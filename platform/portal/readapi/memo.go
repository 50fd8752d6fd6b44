package readapi

import (
	"context"
	"sync"
	"time"
)

// memo caches answers for a short time, and makes requests for the same answer share one
// computation. Any goroutine may use it.
type memo[T any] struct {
	keep time.Duration
	most int // maximum number of answers

	mu      sync.Mutex
	answers map[string]*answer[T]
}

type answer[T any] struct {
	done  chan struct{} // closed when value and err are set
	at    time.Time
	value T
	err   error
}

func newMemo[T any](keep time.Duration, most int) *memo[T] {
	return &memo[T]{keep: keep, most: most, answers: map[string]*answer[T]{}}
}

// get returns the answer of a key; make computes it if it is not cached. Errors are not cached.
// The computation ends with the context of its first caller; another caller then starts its own.
func (m *memo[T]) get(ctx context.Context, key string, now time.Time, make func(context.Context) (T, error)) (T, error) {
	for {
		a, mine := m.claim(key, now)
		if mine {
			a.value, a.err = make(ctx)
			if a.err != nil {
				m.forget(key, a)
			}
			close(a.done)
			return a.value, a.err
		}
		select {
		case <-a.done:
			if a.err == nil {
				return a.value, nil
			}
		case <-ctx.Done():
			return a.value, context.Cause(ctx)
		}
		if ctx.Err() != nil {
			return a.value, context.Cause(ctx)
		}
	}
}

// claim returns the answer of a key. mine means that the caller must compute it.
func (m *memo[T]) claim(key string, now time.Time) (a *answer[T], mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a := m.answers[key]; a != nil && now.Sub(a.at) < m.keep {
		return a, false
	}
	if len(m.answers) >= m.most {
		m.shrink(now)
	}
	a = &answer[T]{done: make(chan struct{}), at: now}
	m.answers[key] = a
	return a, true
}

// shrink removes old answers, otherwise all.
func (m *memo[T]) shrink(now time.Time) {
	for key, a := range m.answers {
		if now.Sub(a.at) >= m.keep {
			delete(m.answers, key)
		}
	}
	if len(m.answers) >= m.most {
		clear(m.answers)
	}
}

func (m *memo[T]) forget(key string, a *answer[T]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers[key] == a {
		delete(m.answers, key)
	}
}
