package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// writer writes the batches of one scope. It belongs to one goroutine.
type writer struct {
	db       *sqldb.DB
	scope    model.Scope
	recorder string       // name of this recorder
	lease    *shard.Lease // nil: the target is not shared
	planner  planner
	encoder  *bodies.Encoder
	log      *slog.Logger
	fault    *faultlog.Reporter // reports batches that cannot be written
	health   *targetHealth
	feed     *feed.Sequencer // woken after each commit

	// A lasting gap ends with the first batch that extends coverage after the gap has
	// begun.
	begun *atomic.Int64 // number of lasting gaps that the monitor has begun
	ended int64         // number of them that have ended
}

// maxConflicts is the number of conflicts with other transactions that a batch may have
// without a log line. With recorders on different nodes of a cluster, they are normal.
const maxConflicts = 10

// errUnavailable is returned by write if the database did not accept a batch in time.
var errUnavailable = errors.New("the database is unavailable")

// load reads the state of the scope from the database, and replaces the tracker.
func (w *writer) load(ctx context.Context) error {
	ctx, done := w.db.Bounded(ctx)
	defer done()
	from, err := model.FindResumePoint(ctx, w.db, w.scope)
	if err != nil {
		return err
	}
	t := newTracker(from)
	w.planner.tracker = t
	w.ended = -1 // the database may have a lasting gap from an earlier process
	return model.EachTracked(ctx, w.db, w.scope, func(of model.Tracked) { t.set(of.Key, trackedAs(&of)) })
}

// write writes a batch. It retries until it succeeds, ctx ends, or timeout has passed; a
// timeout of 0 means no limit.
//
// Errors: the cause of ctx; errUnavailable; shard.ErrLost; model.ErrCoverageEnded;
// model.ErrCoverageLost.
func (w *writer) write(ctx context.Context, items []item, timeout time.Duration) error {
	first, conflicts := time.Now(), 0
	var p *plan
	for delay := firstDelay; ; delay = nextDelay(delay) {
		var err error
		if p == nil {
			p, err = w.planner.plan(ctx, items)
		}
		if err == nil {
			err = w.commit(ctx, p)
		}
		if err == nil {
			w.fault.See(faultlog.State{})
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, shard.ErrLost) || errors.Is(err, model.ErrCoverageEnded) || errors.Is(err, model.ErrCoverageLost) {
			return err
		}
		if w.db.Conflicts(err) && conflicts < maxConflicts {
			conflicts++
			w.health.conflicted()
			if pause.For(ctx, time.Duration(rand.IntN(conflicts*20))*time.Millisecond) != nil {
				return context.Cause(ctx)
			}
			delay = firstDelay
			continue
		}
		w.health.failed(err)
		if p != nil && w.db.Rejects(err) && w.isolate(ctx, p) {
			continue
		}
		if timeout > 0 && time.Since(first) > timeout {
			return errUnavailable
		}
		w.fault.See(faultlog.State{Kind: "database", Err: err, Remedy: remedy(err), Attrs: []any{"deltas", len(items)}})
		if pause.For(ctx, delay) != nil {
			return context.Cause(ctx)
		}
	}
}

// isolate finds the observations of a plan that the database rejects, so that they do not
// block the others, and adds a gap for each of them. It leaves out the body of such an
// observation, because the state matters more, and the whole observation if that does not help.
// It writes each observation separately; the accepted ones are duplicates in the next attempt. It
// reports whether it left out anything.
func (w *writer) isolate(ctx context.Context, p *plan) (changed bool) {
	var accepted []observe.Observation
	for _, o := range p.observations {
		err := w.writeAlone(ctx, o)
		if err == nil || !w.db.Rejects(err) {
			accepted = append(accepted, o)
			continue
		}
		changed = true
		left, without := "left out", o
		if without.Bodiless = o.Body != nil; without.Bodiless && !w.db.Rejects(w.writeAlone(ctx, without)) {
			left = "stored without its content"
			accepted = append(accepted, without)
		}
		err = w.db.Explain(err)
		w.log.Error("the database rejected a revision; it is "+left, "namespace", o.Namespace, "name", o.Name, "version", o.Version, "bytes", len(o.Body), "err", err)
		p.gaps = append(p.gaps, momentaryGap(model.CauseRefused, o.Version, fmt.Sprintf("%s/%s, %d bytes, is %s: %v", o.Namespace, o.Name, len(o.Body), left, err)))
	}
	p.observations = accepted
	return changed
}

// writeAlone writes one observation. It makes several attempts, because another recorder
// may hold a lock.
func (w *writer) writeAlone(ctx context.Context, o observe.Observation) (err error) {
	ctx, done := w.db.Bounded(ctx)
	defer done()
	var written batch.Written
	for range 3 {
		err = w.db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
			if err := w.lease.Fence(ctx, tx); err != nil {
				return err
			}
			written, err = batch.Write(ctx, tx, w.scope, w.encoder, []observe.Observation{o})
			return err
		})
		if err == nil {
			w.relink(ctx, written.Linked)
			w.feed.Wake()
			return nil
		}
	}
	return err
}

// commit writes a plan in one transaction, and applies it to the tracker.
func (w *writer) commit(ctx context.Context, p *plan) error {
	ctx, done := w.db.Bounded(ctx)
	defer done()
	t := w.planner.tracker
	began, now, begun := time.Now(), w.db.Now(), w.begun.Load()
	extends := p.extendsCoverage(t)
	var result batch.Written
	var coverage model.Coverage
	err := w.db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		if err := w.lease.Fence(ctx, tx); err != nil {
			return err
		}
		if len(p.observations) > 0 {
			if result, err = batch.Write(ctx, tx, w.scope, w.encoder, p.observations); err != nil {
				return err
			}
		}
		if err := jobstatus.Unselect(ctx, tx, w.scope, p.unselected); err != nil {
			return err
		}
		for _, gap := range p.gaps {
			if err := model.InsertGap(ctx, tx, w.scope, w.recorder, gap); err != nil {
				return err
			}
		}
		c := coverer{tx: tx, scope: w.scope, recorder: w.recorder, now: now, coverage: t.coverage}
		err = c.update(ctx, t, p, begun != w.ended)
		if coverage = c.coverage; err == nil && t.coverage.ID == 0 && coverage.ID != 0 {
			err = w.lease.EndGaps(ctx, tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	if result.Bodies != nil {
		w.encoder.Commit(result.Bodies)
	}
	w.relink(ctx, result.Linked)
	if result.Changed > 0 || len(p.unselected) > 0 || begun != w.ended { // a presence may decide a status
		w.feed.Wake()
	}
	p.apply(t, coverage, now)
	if extends {
		w.ended = begun
	}
	w.report(p, &result, began)
	return nil
}

// relink joins parts and jobs that another recorder committed at the same time. The sweep of parts repeats
// it after an error.
func (w *writer) relink(ctx context.Context, linked parts.Written) {
	if changed, err := parts.Relink(ctx, w.db, linked); err == nil && changed {
		w.feed.Wake()
	}
}

// report updates the health after a commit.
func (w *writer) report(p *plan, result *batch.Written, now time.Time) {
	t := w.planner.tracker
	c := committed{
		Result: result.Result, at: now, size: len(p.observations), happened: result.Happened,
		objects: len(t.objects), covered: t.coverage.To, ready: t.coverage.ID != 0,
	}
	for i := range p.gaps {
		c.causes = append(c.causes, p.gaps[i].Cause)
	}
	for i := range p.observations {
		if o := &p.observations[i]; o.Source == model.Watched {
			c.seen = append(c.seen, o.Seen)
		}
	}
	w.health.wrote(&c)
}
