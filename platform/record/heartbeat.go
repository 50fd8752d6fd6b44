package record

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

const (
	// heartbeatInterval is the interval of heartbeats. A reader takes a recorder for dead
	// after history.StaleAfter.
	heartbeatInterval = 3 * time.Second
	// lateAfter is the age of uncommitted observations from which a scope is behind, instead
	// of its recorder.
	lateAfter = 5 * time.Second
	// heardInterval is the interval at which the last frame of a watch is stored.
	heardInterval = 30 * time.Second
	// deadAfter is the time without a heartbeat after which a recorder that covers the same
	// scope removes the rows of another.
	deadAfter = time.Minute
)

// heartbeat stores every few seconds up to when everything that a recorder has seen of a
// cluster is committed (docs/operating.md). A reader of the database thus tells a quiet
// cluster from a dead recorder.
//
// Invariant: a row never claims an instant before which the recorder has seen something that
// is not committed, and claims nothing for a scope that no watch has reached since the start
// of the process.
type heartbeat struct {
	db       *sqldb.DB
	cluster  int64
	recorder string
	fault    *faultlog.Reporter
	id       int64     // row of the recorder; 0: not begun
	last     time.Time // committed_at of the last heartbeat
	targets  int       // number of targets of the recorder
	pruned   bool      // the rows of earlier targets are removed

	mu     sync.Mutex
	scopes map[model.Scope]*pulse
}

// pulse is the heartbeat of one scope.
type pulse struct {
	seen   func() observed
	stored *model.ScopeHeartbeat // nil: not yet
}

// observed is the progress of a target.
type observed struct {
	follows   bool      // the first list is committed, or a watch was resumed
	committed time.Time // by the local clock: everything seen before is committed
	heard     time.Time // by the local clock: last frame or bookmark; zero: none
}

// follow adds the scope of a target. It replaces the progress of an earlier attempt to record
// the target.
func (b *heartbeat) follow(s model.Scope, seen func() observed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.scopes[s]; old != nil {
		old.seen = seen
		return
	}
	b.scopes[s] = &pulse{seen: seen}
}

// run sends heartbeats until ctx ends.
func (b *heartbeat) run(ctx context.Context) {
	defer b.fault.Stop()
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for {
		err := b.beat(ctx)
		if ctx.Err() != nil {
			return
		}
		b.fault.See(faultlog.State{Kind: "database", Err: err, Remedy: remedy(err)})
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// beat stores one heartbeat.
func (b *heartbeat) beat(ctx context.Context) error {
	b.mu.Lock()
	scopes := maps.Clone(b.scopes)
	b.mu.Unlock()
	ctx, done := b.db.Bounded(ctx)
	defer done()
	var now beat
	err := b.db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		now = beat{tx: tx, id: b.id, at: tx.Now(), local: time.Now(), last: b.last, stored: map[model.Scope]model.ScopeHeartbeat{}}
		now.committed = now.at
		before := model.Micros(now.last)
		if now.id == 0 {
			if now.id, before, err = model.BeginHeartbeats(ctx, tx, b.cluster, b.recorder, model.Micros(now.at)); err != nil {
				return err
			}
		}
		if !b.pruned && len(scopes) == b.targets {
			if err := model.DeleteScopeHeartbeats(ctx, tx, now.id, scopes); err != nil {
				return err
			}
		}
		for s, p := range scopes {
			if err := now.scope(ctx, s, p); err != nil {
				return err
			}
		}
		found, err := model.RenewHeartbeat(ctx, tx, now.id, before, model.Micros(now.committed), model.Micros(now.at))
		if err == nil && !found {
			return errRemoved
		}
		return err
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(err, errRemoved) { // another recorder took this one for dead, or the database was restored
		b.id = 0
		for _, p := range b.scopes {
			p.stored = nil
		}
		return nil
	}
	if err != nil {
		return err
	}
	b.id, b.last, b.pruned = now.id, now.committed, b.pruned || len(scopes) == b.targets
	for s, h := range now.stored {
		scopes[s].stored = &h
	}
	return nil
}

// errRemoved ends a heartbeat of a recorder whose row is not the one that it has written.
var errRemoved = errors.New("the row of the recorder was removed or replaced")

// beat is one heartbeat.
type beat struct {
	tx        *sqldb.Tx
	id        int64
	at, local time.Time // now, by the clock of the database and by the local one
	last      time.Time // committed of the heartbeat before
	committed time.Time
	stored    map[model.Scope]model.ScopeHeartbeat
}

// scope adds a scope to a heartbeat, and stores what has changed.
func (b *beat) scope(ctx context.Context, s model.Scope, p *pulse) error {
	seen := p.seen()
	before := p.stored
	if before == nil {
		stored, found, err := model.StoredScopeHeartbeat(ctx, b.tx, b.id, s)
		if err != nil || !found && !seen.follows {
			return err
		}
		before = &stored
	}
	h := *before
	since := b.at.Add(min(seen.committed.Sub(b.local), 0))
	switch {
	case !seen.follows && h.BehindAt == 0:
		h.BehindAt = model.Micros(b.last)
	case !seen.follows:
	case b.at.Sub(since) >= lateAfter:
		h.BehindAt = max(h.BehindAt, model.Micros(since))
	default:
		h.BehindAt = 0
		if since.Before(b.committed) {
			b.committed = since
		}
	}
	if heard := b.at.Add(seen.heard.Sub(b.local)); !seen.heard.IsZero() && (h.HeardAt == 0 || heard.Sub(model.Time(h.HeardAt)) >= heardInterval) {
		h.HeardAt = model.Micros(heard)
	}
	b.stored[s] = h
	if p.stored != nil && h == *p.stored {
		return nil
	}
	if h.BehindAt == 0 && (p.stored == nil || p.stored.BehindAt != 0) {
		if err := model.DeleteDeadHeartbeats(ctx, b.tx, b.id, s, model.Micros(b.at.Add(-deadAfter))); err != nil {
			return err
		}
	}
	return model.SetScopeHeartbeat(ctx, b.tx, b.id, h)
}
