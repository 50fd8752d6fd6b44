package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"
)

// Ending is the end of a session, or of several sessions of a person.
type Ending struct {
	// Person is the ID of the person whose sessions have ended.
	Person string
	// Session identifies the session and is not secret. If it is empty, all sessions of the person
	// that began until Began have ended.
	Session string
	// Began is when the session began, in whole seconds.
	Began time.Time
}

// Endings stores ended sessions for all replicas of a portal.
type Endings interface {
	// End stores an ending, which the person of ctx has caused. Storing the end of a session again is
	// not an error.
	End(ctx context.Context, e Ending) error
	// Ended returns all endings that were stored since a time, in any order. Later calls may omit
	// endings that an earlier call returned. Run calls it.
	Ended(ctx context.Context, since time.Time) ([]Ending, error)
}

// Limits of the table of ended sessions.
const (
	// maxEndedOfPerson is the maximum number of ended sessions of a person. Above it, the oldest one
	// becomes the person's mark, so that a person who signs out often fills no memory, and no cookie
	// of an ended session counts again.
	maxEndedOfPerson = 64
	endedEvery       = 3 * time.Second // how often a replica reads the sessions that others ended
	endedWithin      = 5 * time.Second // time limit of the store
	sweepEvery       = time.Minute
)

// ended has the ended sessions, whose cookies still decrypt.
type ended struct {
	shared   Endings // nil: not shared
	lifetime time.Duration
	log      *slog.Logger

	mu      sync.Mutex
	people  map[string]*endedOf // by ID
	sweptAt time.Time
}

// endedOf has the ended sessions of a person.
type endedOf struct {
	sessions map[string]int64 // by print, when they began, in Unix seconds
	mark     int64            // no session counts that began until then
	until    time.Time        // when the last of the sessions is over
}

func newEnded(shared Endings, lifetime time.Duration, log *slog.Logger) *ended {
	return &ended{shared: shared, lifetime: lifetime, log: log, people: map[string]*endedOf{}}
}

// printOf returns a fingerprint that identifies a session without revealing its ID.
func printOf(session string) string {
	sum := sha256.Sum256([]byte("ended " + session))
	return hex.EncodeToString(sum[:16])
}

// has reports whether a session of a person, which began at a time in Unix seconds, has ended.
func (e *ended) has(person, id string, at int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	of := e.people[person]
	if of == nil {
		return false
	}
	_, ok := of.sessions[printOf(id)]
	return ok || at <= of.mark
}

// end ends sessions: here at once, and in other replicas when they read the store.
//
// Errors: those of the store; the sessions have ended here.
func (e *ended) end(ctx context.Context, one Ending, now time.Time) error {
	e.note(now, one)
	if e.shared == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endedWithin) // the browser may disconnect
	defer cancel()
	err := e.shared.End(ctx, one)
	if err != nil {
		e.log.Error("an ended session could not be stored, so other replicas still accept it", "err", err)
	}
	return err
}

// note adds endings, and removes those of sessions that are over.
func (e *ended) note(now time.Time, some ...Ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range some {
		of := e.people[one.Person]
		if of == nil {
			of = &endedOf{sessions: map[string]int64{}}
			e.people[one.Person] = of
		}
		of.note(one)
		of.until = now.Add(e.lifetime)
	}
	if now.Sub(e.sweptAt) < sweepEvery {
		return
	}
	e.sweptAt = now
	for person, of := range e.people {
		if of.until.Before(now) {
			delete(e.people, person)
		}
	}
}

// note adds an ending of the person.
func (o *endedOf) note(one Ending) {
	began := one.Began.Unix()
	switch {
	case began <= o.mark:
		return
	case one.Session == "":
		o.mark = began
	default:
		if o.sessions[one.Session] = began; len(o.sessions) <= maxEndedOfPerson {
			return
		}
		o.mark = began
		for _, other := range o.sessions {
			o.mark = min(o.mark, other)
		}
	}
	for print, other := range o.sessions {
		if other <= o.mark {
			delete(o.sessions, print)
		}
	}
}

// run reads the sessions that other replicas have ended, until ctx ends.
func (e *ended) run(ctx context.Context) {
	if e.shared == nil {
		return
	}
	ticker := time.NewTicker(endedEvery)
	defer ticker.Stop()
	failing := false
	for {
		now := time.Now()
		within, cancel := context.WithTimeout(ctx, endedWithin)
		found, err := e.shared.Ended(within, now.Add(-e.lifetime))
		cancel()
		if err != nil && !failing && ctx.Err() == nil {
			e.log.Warn("ended sessions cannot be read, so sessions that other replicas ended are still accepted", "err", err)
		}
		failing = err != nil
		e.note(now, found...)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
