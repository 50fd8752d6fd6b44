package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// Endings stores ended sessions for all replicas of a portal.
type Endings interface {
	// End stores that the person of ctx has ended a session. session identifies it and is not
	// secret. Storing a session again is not an error.
	End(ctx context.Context, session string) error
	// Ended returns the sessions that were stored since a time, in any order. Later calls may omit
	// sessions that an earlier call returned. Run calls it.
	Ended(ctx context.Context, since time.Time) ([]string, error)
}

// Limits of the table of ended sessions.
const (
	maxEnded    = 50_000
	endedEvery  = 3 * time.Second // how often a replica reads the sessions that others ended
	endedWithin = 5 * time.Second // time limit of the store
)

// ended has the ended sessions, whose cookies still decrypt.
type ended struct {
	shared Endings // nil: not shared
	log    *slog.Logger

	mu  sync.Mutex
	all map[string]time.Time // by print, until when the session might last
}

func newEnded(shared Endings, log *slog.Logger) *ended {
	return &ended{shared: shared, log: log, all: map[string]time.Time{}}
}

// printOf returns a fingerprint that identifies a session without revealing its ID.
func printOf(session string) string {
	sum := sha256.Sum256([]byte("ended " + session))
	return hex.EncodeToString(sum[:16])
}

// has reports whether a session has ended.
func (e *ended) has(session string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.all[printOf(session)]
	return ok
}

// end ends a session: here at once, and in other replicas when they read the store. A failure of
// the store is logged.
func (e *ended) end(ctx context.Context, session string, until, now time.Time) {
	print := printOf(session)
	e.note(now, map[string]time.Time{print: until})
	if e.shared == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endedWithin) // the browser may disconnect
	defer cancel()
	if err := e.shared.End(ctx, print); err != nil {
		e.log.Error("an ended session could not be stored, so other replicas still accept it", "err", err)
	}
}

// note adds sessions. If there are too many, it first removes those past their lifetime.
func (e *ended) note(now time.Time, some map[string]time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.Copy(e.all, some)
	if len(e.all) <= maxEnded {
		return
	}
	for print, until := range e.all {
		if until.Before(now) {
			delete(e.all, print)
		}
	}
	for print := range e.all {
		if len(e.all) <= maxEnded {
			break
		}
		if _, fresh := some[print]; !fresh {
			delete(e.all, print)
		}
	}
}

// run reads the sessions that other replicas have ended, until ctx ends. lifetime is the maximum
// lifetime of a session.
func (e *ended) run(ctx context.Context, lifetime time.Duration) {
	if e.shared == nil {
		return
	}
	ticker := time.NewTicker(endedEvery)
	defer ticker.Stop()
	failing := false
	for {
		now := time.Now()
		within, cancel := context.WithTimeout(ctx, endedWithin)
		found, err := e.shared.Ended(within, now.Add(-lifetime))
		cancel()
		if err != nil && !failing && ctx.Err() == nil {
			e.log.Warn("ended sessions cannot be read, so sessions that other replicas ended are still accepted", "err", err)
		}
		failing = err != nil
		some := map[string]time.Time{}
		for _, print := range found {
			some[print] = now.Add(lifetime)
		}
		e.note(now, some)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
