package jobindex

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/model"
)

const (
	// The index checks for transitions every busyInterval while they arrive, and every
	// idleInterval if none arrived for busyTime. A check is one query of a few rows by
	// their keys.
	busyInterval = 10 * time.Millisecond
	idleInterval = 40 * time.Millisecond
	busyTime     = 2 * time.Second
	// collectTime is the time in which the index collects transitions after it has applied
	// some, so that their jobs are read together.
	collectTime = 20 * time.Millisecond
	// gapInterval is the interval in which gaps are read.
	gapInterval = 2 * time.Second
	// feedAtOnce is the maximum number of positions of the feed that are applied at once.
	feedAtOnce = 500
	// The delay between attempts doubles from firstRetry to lastRetry.
	firstRetry = 50 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Run loads all jobs, and then follows the feed until ctx ends. It returns the cause of
// ctx. It blocks. Call it once.
//
// It logs an outage of the database once, and retries until the database answers. If its
// position is no longer in the feed, it loads all jobs again; views have the earlier jobs
// until then.
func (x *Index) Run(ctx context.Context) error {
	fault := &faultlog.Reporter{Fault: "the job index cannot read the database", Over: "the job index reads the database", Logger: x.logger}
	defer fault.Stop()
	r := newRunner(x)
	failed := 0
	for {
		wait, err := r.step(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			failed = 0
			x.stale.Store(0)
			fault.See(faultlog.State{})
		default:
			x.stale.CompareAndSwap(0, time.Now().UnixMicro())
			fault.See(faultlog.State{Kind: "database", Err: err})
			wait = min(firstRetry<<min(failed, 10), lastRetry)
			failed++
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// runner fills one index. It is the only writer of the table, so it reads the table without a
// lock.
type runner struct {
	x       *Index
	reader  *reader
	loaded  bool
	reason  error // why the index is loaded again; nil the first time
	tail    *feed.Tail
	moved   time.Time // when the feed last had new entries
	sweeper *sweeper
	// suspects are the findings of the last step of the sweep. They are applied after the
	// feed is read.
	suspects []suspect
	gapsAt   time.Time
}

func newRunner(x *Index) *runner {
	return &runner{x: x, reader: &reader{db: x.config.DB}, tail: feed.NewTail(x.config.DB)}
}

// step does the work that is due, and returns the wait before the next step.
func (r *runner) step(ctx context.Context) (wait time.Duration, err error) {
	if !r.loaded {
		if err := r.load(ctx); err != nil {
			return 0, err
		}
	}
	before := r.x.table.position
	behind, err := r.follow(ctx)
	if errors.Is(err, feed.ErrExpired) || errors.Is(err, feed.ErrAhead) {
		r.loaded, r.reason = false, err
		return 0, nil
	}
	if err != nil || behind {
		return 0, err
	}
	r.x.finish()
	if r.reason != nil {
		if r.x.config.Reloaded != nil {
			r.x.config.Reloaded(r.reason, r.x.table.position)
		}
		r.reason = nil
	}
	if err := r.maintain(ctx); err != nil {
		return 0, err
	}
	return r.pause(before, time.Now()), nil
}

// pause returns the wait after a step that began at a position.
func (r *runner) pause(before feed.Position, now time.Time) time.Duration {
	switch {
	case r.x.table.position != before:
		r.moved = now
		return collectTime
	case now.Sub(r.moved) < busyTime:
		return busyInterval
	}
	return idleInterval
}

// load fills a new table.
func (r *runner) load(ctx context.Context) error {
	progress := func(done float64) {
		if r.reason == nil {
			r.x.done.Store(math.Float64bits(done))
		}
	}
	t, err := (&loader{reader: r.reader, progress: progress}).load(ctx)
	if err != nil {
		return err
	}
	r.x.replace(t)
	r.suspects = nil
	r.sweeper, r.gapsAt, r.loaded = &sweeper{reader: r.reader, next: time.Now().Add(longestPause)}, time.Now(), true
	return nil
}

// follow applies the next transitions of the feed. behind is set if there are more.
func (r *runner) follow(ctx context.Context) (behind bool, err error) {
	after := r.x.table.position
	head, err := r.tail.Head(ctx, after)
	if err != nil || head == after {
		return false, err
	}
	upTo := min(after+feedAtOnce, head)
	rows, err := r.reader.feed(ctx, after, upTo)
	if err != nil {
		return false, err
	}
	events := make([]event, len(rows))
	for i := range rows {
		events[i] = eventOf(&rows[i])
	}
	if err := r.apply(ctx, events, upTo); err != nil {
		return false, err
	}
	return upTo < head, nil
}

func eventOf(f *model.FeedRow) event {
	e := event{object: f.Object, position: feed.Position(f.Position), kind: feed.Kind(f.Kind)}
	if f.Found && f.Kind != model.FeedDecided {
		e.seen = timeOf(f.SeenAt)
	}
	if f.Kind == model.FeedWithdrawn || f.Kind == model.FeedDecided {
		e.kind = feed.Corrected
	}
	return e
}

// apply reads the objects of events again, and applies their current rows.
func (r *runner) apply(ctx context.Context, events []event, upTo feed.Position) error {
	var ids []int64
	for i := range events {
		ids = append(ids, events[i].object)
	}
	slices.Sort(ids)
	jobs, err := r.reader.byID(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	r.x.report((&batch{events: events, jobs: jobs, upTo: upTo}).apply(r.x))
	return nil
}

// maintain does a part of the work that is not urgent.
func (r *runner) maintain(ctx context.Context) error {
	t := r.x.table
	if now := time.Now(); now.Sub(r.gapsAt) >= gapInterval {
		gaps, err := r.reader.gaps(ctx)
		if err != nil {
			return err
		}
		if r.gapsAt = now; !slices.Equal(gaps, t.gaps) {
			r.x.change(func(t *table) { t.setGaps(gaps) })
		}
	}
	if err := r.sweep(ctx); err != nil {
		return err
	}
	if t.worn() {
		r.x.replace(t.clone())
	}
	return nil
}

// sweep applies the findings of the last step of the sweep that the feed has not
// explained, and makes the next step.
func (r *runner) sweep(ctx context.Context) error {
	t := r.x.table
	var objects []int64
	for i := range r.suspects {
		if s := &r.suspects[i]; !s.explained(t) {
			objects = append(objects, s.id)
		}
	}
	for some := range slices.Chunk(objects, feedAtOnce) {
		if err := r.apply(ctx, eventsOf(some, t.position), 0); err != nil {
			return err
		}
	}
	r.suspects = nil
	if !r.sweeper.due(time.Now()) {
		return nil
	}
	var err error
	r.suspects, err = r.sweeper.step(ctx, t)
	return err
}
