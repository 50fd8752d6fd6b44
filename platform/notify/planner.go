package notify

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// cursorName is the cursor of the planners. All replicas share it, or its partitions.
const cursorName = "notify"

// tickEvery is the interval in which a planner checks timers, digests and escalations.
const tickEvery = time.Second

// batchSize is the maximum number of transitions in a batch. All messages of a batch wait
// until the facts of all its transitions are read.
const batchSize = 200

// planner turns transitions of a partition into deliveries. Prepare reads, outside of the
// transaction; Handle writes, inside it. Both run on the goroutine of the consumer. The
// planner of the first partition also checks the timers, digests and escalations of all
// objects.
type planner struct {
	plannerOptions
	partition feed.Partition
	history   *history.History
	matcher   *matcher
	timers    *timers
	due       *due
	alerts    *alerts
	scan      *scan
	escalator

	subscriptions subscriptions
	round         *round
	tickedAt      time.Time           // by the machine's clock
	forgotAt      time.Time           // when unknown timers were last removed
	unacked       []delivery.Delivery // found by the last Handle
	touched       map[string]bool     // channels with deliveries from the last Handle
}

// plannerOptions are shared by the planners of a process.
type plannerOptions struct {
	db       *sqldb.DB
	setup    func() *setup
	now      func() time.Time
	once     *once
	counts   *counters
	facts    Facts
	progress Progress
	usual    *usual
	wake     func(channels ...string) // called with the channels that have new deliveries; may be nil
	every    time.Duration            // interval of the checks of timers
	keep     time.Duration            // how long timers of unknown rules stay
	rounds   *atomic.Uint64           // committed transactions
}

func newPlanner(o plannerOptions, of feed.Partition) *planner {
	h := history.New(o.db)
	m := &matcher{history: h, counts: o.counts, facts: o.facts, once: o.once, tries: map[feed.Position]int{}}
	k := &timers{history: h, usual: o.usual, progress: o.progress}
	return &planner{
		plannerOptions: o, partition: of, history: h, matcher: m, timers: k,
		due: &due{o.db, m, k}, alerts: &alerts{o.db, h}, scan: &scan{o.db, m, k, map[string]scanned{}}, escalator: escalator{h, m},
	}
}

// consumer returns the consumer that drives the planners of a process. It begins with
// transitions from now on, so the first start sends nothing about the past.
func (o plannerOptions) consumer(owner string, logger *slog.Logger) feed.PartitionedConsumer {
	return feed.PartitionedConsumer{Name: cursorName, Start: feed.Now, Owner: owner, Logger: logger, Consumer: func(of feed.Partition) feed.Consumer {
		p := newPlanner(o, of)
		c := feed.Consumer{Batch: batchSize, Prepare: p.prepare, Handle: p.handle, Committed: p.committed}
		if p.ticks() {
			c.Every = p.every
		}
		return c
	}}
}

// ticks reports whether the planner checks timers, digests and escalations.
func (p *planner) ticks() bool { return p.partition.Index == 0 }

// prepare finds the messages that transitions and timers cause.
func (p *planner) prepare(ctx context.Context, some []feed.Transition) error {
	r := &round{setup: p.setup(), now: p.now(), marks: map[string]string{}}
	p.round = r
	o := newOwners(r.setup, p.history)
	var steps []func(context.Context) error
	if len(some) > 0 {
		steps = append(steps, func(ctx context.Context) error { return p.db.Explain(p.subscriptions.refresh(ctx, p.db, r.now)) })
	}
	if len(some) > 0 {
		steps = append(steps, func(ctx context.Context) error { return p.transitions(ctx, r, o, some) })
	}
	if r.tick = p.ticks() && time.Since(p.tickedAt) >= p.every; r.tick {
		steps = append(steps,
			func(ctx context.Context) error { return p.due.check(ctx, r, o) },
			func(ctx context.Context) error { return p.scan.next(ctx, r) },
			func(ctx context.Context) error { return p.escalator.check(ctx, r, p.unacked) })
	}
	steps = append(steps, func(ctx context.Context) error { return p.alerts.check(ctx, r) })
	for _, step := range steps {
		if err := p.bounded(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// bounded calls a step with a timeout, so that an unreachable server does not block the
// planner.
func (p *planner) bounded(ctx context.Context, step func(context.Context) error) error {
	ctx, done := p.db.Bounded(ctx)
	defer done()
	return step(ctx)
}

// parallel is the number of transitions that are prepared concurrently. Most of that time
// is spent waiting for the database.
const parallel = 8

// found are the messages and timers of one transition.
type found struct {
	wants []*want
	set   []delivery.Timer
	err   error
}

// transitions adds the messages and timers of transitions to a round, in their order.
func (p *planner) transitions(ctx context.Context, r *round, o *owners, some []feed.Transition) error {
	results := make([]found, len(some))
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(parallel, len(some)) {
		work.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(some) && ctx.Err() == nil; i = next.Add(1) - 1 {
				results[i].err = p.bounded(ctx, func(ctx context.Context) error { return p.transition(ctx, r, o, &some[i], &results[i]) })
			}
		})
	}
	work.Wait()
	for i := range results {
		if err := results[i].err; err != nil {
			return err
		}
		r.wants, r.set = append(r.wants, results[i].wants...), append(r.set, results[i].set...)
		if some[i].Kind != feed.Corrected && some[i].To.Final() {
			r.ended = append(r.ended, some[i].Object.ID)
		}
	}
	return context.Cause(ctx)
}

// transition finds the messages and timers of one transition.
func (p *planner) transition(ctx context.Context, r *round, o *owners, t *feed.Transition, to *found) error {
	if t.Kind == feed.Corrected {
		return nil // messages about the original transition were already sent
	}
	all, err := p.matcher.transition(ctx, r.setup, o, p.subscriptions.match(t, r.now), t)
	if err != nil {
		return err
	}
	to.wants = all
	if all, err = resolves(ctx, p.db, r.setup, t); err != nil {
		return err
	}
	to.wants = append(to.wants, all...)
	return p.start(ctx, r, o, t, to)
}

// start adds the timers that a transition starts. A timer also starts for an object that
// existed before its type was recorded, unless it would fire immediately.
func (p *planner) start(ctx context.Context, r *round, o *owners, t *feed.Transition, to *found) error {
	for _, one := range r.setup.timers {
		in := inputOf(t, "")
		if !one.Timer.Starts(&in) {
			continue
		}
		names, err := o.cheap(ctx, &t.Object)
		if err := p.matcher.tolerate(ctx, t, err); err != nil {
			return err
		}
		in.Object.Owner = first(names)
		set := p.timers.start(one, t)
		in.Existing = in.Existing && !set.Due.After(r.now)
		matches, err := one.Matches(&in)
		if err != nil {
			p.matcher.failed(one, err)
		}
		if matches {
			to.set = append(to.set, set)
		}
	}
	return nil
}

// handle writes the round that prepare has found, in the transaction that moves the
// cursor.
func (p *planner) handle(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
	r := p.round
	if p.partition.Of > 1 {
		if err := delivery.LockPlanners(ctx, tx, p.partition.String()); err != nil {
			return err
		}
	}
	if len(some) > 0 || r.tick {
		if err := delivery.SetPlannedRules(ctx, tx, r.setup.timersHash); err != nil {
			return err
		}
	}
	silences, err := p.silences(ctx, tx, r.now)
	if err != nil {
		return err
	}
	post, err := newPost(ctx, tx, r, silences)
	if err != nil {
		return err
	}
	escalated, err := p.escalate(ctx, tx, r)
	if err != nil {
		return err
	}
	for _, w := range slices.Concat(r.wants, escalated) {
		if err := post.add(ctx, w); err != nil {
			return err
		}
	}
	if err := post.write(ctx); err != nil {
		return err
	}
	if err := p.writeTimers(ctx, tx, r); err != nil {
		return err
	}
	if err := delivery.EndMutes(ctx, tx, r.ended); err != nil {
		return err
	}
	if r.tick {
		if err := p.forget(ctx, tx, r); err != nil {
			return err
		}
		if err := delivery.Postpone(ctx, tx, r.postponed, r.now.Add(recheckRecording), r.now.Add(-lateSeen)); err != nil {
			return err
		}
		if _, err := delivery.CloseDigests(ctx, tx, r.now); err != nil {
			return err
		}
		if p.unacked, err = delivery.Escalations(ctx, tx, r.now, escalationsAtOnce); err != nil {
			return err
		}
		p.tickedAt = time.Now()
	}
	p.touched = post.channels()
	p.matcher.settled()
	p.count(some, r, post.done, len(escalated))
	return nil
}

// silences returns the active silences.
func (p *planner) silences(ctx context.Context, tx *sqldb.Tx, now time.Time) ([]silence, error) {
	all, err := delivery.Silences(ctx, tx, now)
	all = slices.DeleteFunc(all, func(s delivery.Silence) bool { return !s.Active(now) })
	return parseSilences(all, func(s *delivery.Silence, err error) {
		p.once.log(fmt.Sprint("silence ", s.ID), "the matchers of a silence cannot be parsed, so it holds nothing back; add it again with others", "silence", s.ID, "err", faultlog.Text(err))
	}), err
}

// committed wakes the workers of channels with new deliveries.
func (p *planner) committed() {
	p.rounds.Add(1)
	if p.wake != nil && len(p.touched) > 0 {
		p.wake(slices.Collect(maps.Keys(p.touched))...)
	}
}

// escalate returns the messages for deliveries that are still unacknowledged.
func (p *planner) escalate(ctx context.Context, tx *sqldb.Tx, r *round) (all []*want, err error) {
	for _, e := range r.escalations {
		n, err := delivery.Escalated(ctx, tx, e.id)
		if err != nil {
			return nil, err
		}
		if n == 1 {
			all = append(all, e.wants...)
		}
	}
	return all, nil
}

// writeTimers writes the changes of timers.
func (p *planner) writeTimers(ctx context.Context, tx *sqldb.Tx, r *round) error {
	if err := delivery.SetTimers(ctx, tx, r.set); err != nil {
		return err
	}
	if err := delivery.AdvanceTimers(ctx, tx, r.advanced); err != nil {
		return err
	}
	if err := delivery.MoveTimers(ctx, tx, r.moved); err != nil {
		return err
	}
	if err := delivery.RemoveTimers(ctx, tx, r.removed); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.marks)) {
		if err := delivery.SetMark(ctx, tx, name, r.marks[name]); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the timers of rules that no notifier has had for the time that deliveries are
// kept: an older file must not remove those of a newer one.
func (p *planner) forget(ctx context.Context, tx *sqldb.Tx, r *round) error {
	if r.now.Sub(p.forgotAt) < pruneEvery {
		return nil
	}
	n, err := delivery.ForgetTimers(ctx, tx, r.now.Add(-p.keep), r.setup.timerIDs, timersAtOnce)
	if err == nil && n < timersAtOnce {
		p.forgotAt = r.now
	}
	return err
}

// count counts the results of a round. It also counts a transaction that is rolled back
// later.
func (p *planner) count(some []feed.Transition, r *round, done posted, escalated int) {
	p.counts.transitions.Add(uint64(len(some)))
	for i := range some {
		if some[i].Kind == feed.Corrected {
			p.counts.corrected.Add(1)
		}
	}
	p.counts.created.Add(uint64(done.created))
	p.counts.collected.Add(uint64(done.collected))
	p.counts.muted.Add(uint64(done.muted))
	p.counts.silenced.Add(uint64(done.silenced))
	p.counts.own.Add(uint64(done.own))
	p.counts.timers.Add(uint64(r.fired))
	p.counts.escalated.Add(uint64(escalated))
}
