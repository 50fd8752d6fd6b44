package notify

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// sender sends the deliveries of one channel. One goroutine claims deliveries, extends
// claims and stores outcomes; other goroutines send. Senders share only the database, so a
// slow channel delays no other.
type sender struct {
	o       *WorkerOptions
	name    string
	channel channel.Channel
	stats   *sendStats
	logger  func() *slog.Logger

	wake    chan struct{}
	work    chan *activity
	results chan result

	// The fields below belong to the goroutine of run.
	active   map[int64]*activity
	outcomes []delivery.Outcome // not yet stored
	extended time.Time          // time of the last extension of claims
	next     time.Time          // earliest time of the next claim
	failures int                // of the database, in succession
	database *faultlog.Reporter
	fault    *faultlog.Reporter // of the channel
}

// activity is a claimed delivery. Its context ends before the claim can end, so no try
// outlives its claim.
type activity struct {
	delivery delivery.Delivery
	ctx      context.Context
	cancel   context.CancelFunc
	lease    *time.Timer
}

// result is the end of a try.
type result struct {
	outcome delivery.Outcome
	took    time.Duration
}

func newSender(o *WorkerOptions, name string, ch channel.Channel, stats *sendStats, logger func() *slog.Logger) *sender {
	report := func(fault, over string) *faultlog.Reporter {
		return &faultlog.Reporter{Fault: fault, Over: over, Logger: logger, Attrs: []any{"channel", name}}
	}
	return &sender{
		o: o, name: name, channel: ch, stats: stats, logger: logger,
		wake: make(chan struct{}, 1), work: make(chan *activity, o.outstanding()), results: make(chan result, o.outstanding()),
		active:   map[int64]*activity{},
		database: report("deliveries cannot be claimed or stored; sending continues when the database answers", "deliveries are claimed and stored again"),
		fault:    report("a channel does not take messages; they wait in the database", "a channel takes messages again"),
	}
}

// run sends until ctx ends. Then it waits for the tries in progress, and closes the
// channel.
func (s *sender) run(ctx context.Context) {
	defer s.database.Stop()
	defer s.fault.Stop()
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var pool sync.WaitGroup
	for range s.o.Parallel {
		pool.Go(s.serve)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		wait := s.step(ctx, sending)
		timer.Reset(wait)
		select {
		case r := <-s.results:
			s.took(r)
		case <-s.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		s.drain()
	}
	s.end(ctx, stop)
	close(s.work)
	pool.Wait()
	if err := s.channel.Close(); err != nil {
		s.logger().Warn("a channel was not closed properly", "channel", s.name, "err", faultlog.Text(err))
	}
}

// serve sends deliveries.
func (s *sender) serve() {
	for a := range s.work {
		r := result{outcome: delivery.Outcome{Delivery: a.delivery, Result: delivery.Released}}
		if a.ctx.Err() == nil {
			r.outcome, r.took = try(a.ctx, &a.delivery, s.channel, s.o.Compose)
		}
		s.results <- r // the buffer has room for all active deliveries
	}
}

// took processes the result of a try.
func (s *sender) took(r result) {
	if a := s.active[r.outcome.Delivery.ID]; a != nil {
		a.lease.Stop()
		a.cancel()
		delete(s.active, r.outcome.Delivery.ID)
	}
	r.outcome.At = s.o.DB.Now()
	s.stats.tried(&r.outcome, r.took)
	s.outcomes = append(s.outcomes, r.outcome)
}

// drain processes the results that are available.
func (s *sender) drain() {
	for {
		select {
		case r := <-s.results:
			s.took(r)
		default:
			return
		}
	}
}

// step does the database work that is due, and returns the time until the next step.
func (s *sender) step(ctx, sending context.Context) (wait time.Duration) {
	err := s.store(ctx)
	if err == nil {
		err = s.extend(ctx)
	}
	if err == nil {
		err = s.claim(ctx, sending)
	}
	s.stats.change(func(n *SendStats) { n.Active = len(s.active) })
	if err != nil && ctx.Err() == nil {
		// Databases abort one of two transactions in a deadlock, so a single failure is
		// not a fault.
		if s.failures++; s.failures > 1 {
			s.database.See(faultlog.State{Err: err})
		}
		return min(50*time.Millisecond<<min(s.failures, 10), 5*time.Second)
	}
	s.failures = 0
	s.database.See(faultlog.State{})
	wait = min(s.o.Poll, s.o.Lease/4)
	if !s.next.IsZero() {
		wait = min(wait, max(s.next.Sub(s.o.DB.Now()), time.Millisecond))
	}
	return wait
}

// store stores the outcomes.
func (s *sender) store(ctx context.Context) error {
	if len(s.outcomes) == 0 {
		return nil
	}
	f, err := delivery.Finish(ctx, s.o.DB, s.name, s.outcomes, s.o.policy())
	if err != nil {
		return err
	}
	s.report(&f)
	s.outcomes = nil
	s.stats.change(func(n *SendStats) {
		n.Dead += uint64(f.Dead)
		n.Lost += uint64(f.Lost)
		n.Channel = f.Channel
	})
	return nil
}

// report logs the state of the channel, from the last outcome.
func (s *sender) report(f *delivery.Finished) {
	for i := range s.outcomes {
		o := &s.outcomes[i]
		err := errors.New(o.Error)
		switch attrs := []any{"key", o.Delivery.Key}; {
		case o.Result == delivery.Delivered:
			s.fault.See(faultlog.State{})
		case o.Result == delivery.Disabled:
			s.disabled(f.Channel.Reason)
		case o.Result == delivery.Throttling:
			s.fault.See(faultlog.State{Kind: "throttled", Err: err, Attrs: attrs})
		case o.Result == delivery.Permanent, o.Result == delivery.Temporary && f.Dead > 0:
			s.fault.See(faultlog.State{Kind: "dead letter", Err: err, Remedy: "see `vedette deadletter ls`", Attrs: attrs})
		case o.Result == delivery.Temporary:
			s.fault.See(faultlog.State{Kind: "temporary", Err: err, Attrs: attrs})
		}
	}
}

// disabled logs that the channel is disabled.
func (s *sender) disabled(reason string) {
	s.fault.See(faultlog.State{Kind: "disabled", Err: errors.New(reason), Remedy: "correct the channel, then run `vedette notify enable " + s.name + "`"})
}

// extend extends the claims before they end. It cancels a try whose claim is lost.
func (s *sender) extend(ctx context.Context) error {
	now := time.Now()
	if len(s.active) == 0 || now.Sub(s.extended) < s.o.Lease/3 {
		return nil
	}
	all := make([]delivery.Delivery, 0, len(s.active))
	for _, a := range s.active {
		all = append(all, a.delivery)
	}
	at := s.o.DB.Now()
	kept, err := delivery.Extend(ctx, s.o.DB, s.name, all, at.Add(s.o.Lease), at)
	if err != nil {
		return err
	}
	s.extended = now
	for id, a := range s.active {
		if kept[id] {
			a.lease.Reset(s.leaseFrom(now))
		} else {
			a.cancel()
		}
	}
	return nil
}

// leaseFrom returns the maximum duration of a try whose claim began at a time: slightly
// less than the claim.
func (s *sender) leaseFrom(now time.Time) time.Duration {
	return max(0, s.o.Lease-s.o.Lease/10-time.Since(now))
}

// claim claims deliveries if there is room, and passes them to the pool.
func (s *sender) claim(ctx, sending context.Context) error {
	room := s.o.outstanding() - len(s.active)
	if s.next = (time.Time{}); room < s.o.outstanding()/2 {
		return nil
	}
	traits := s.channel.Traits()
	now := time.Now()
	c, err := delivery.Claim(ctx, s.o.DB, s.name, delivery.ClaimOptions{
		Worker: s.o.Name, Limit: room, Lease: s.o.Lease, Rate: delivery.Rate{Count: traits.Rate.Count, Per: traits.Rate.Per}, Threshold: s.o.policy().Threshold, Now: s.o.DB.Now(),
	})
	if err != nil {
		return err
	}
	s.next = c.Next
	if len(s.active) == 0 {
		s.extended = now
	}
	s.stats.change(func(n *SendStats) {
		n.Rescued += uint64(c.Rescued)
		n.Channel = c.Channel
	})
	if c.Rescued > 0 {
		s.logger().Warn("deliveries of a crashed worker are sent again, with the same keys", "channel", s.name, "deliveries", c.Rescued)
	}
	if !c.Channel.DisabledAt.IsZero() {
		s.disabled(c.Channel.Reason)
	}
	for _, d := range c.Deliveries {
		a := &activity{delivery: d}
		a.ctx, a.cancel = context.WithCancel(sending)
		a.lease = time.AfterFunc(s.leaseFrom(now), a.cancel)
		s.active[d.ID] = a
		s.work <- a // the buffer has room for all active deliveries
	}
	return nil
}

// lastStore is the minimum time for storing the last results, even if tries get less time:
// a message whose result is lost is sent again.
const lastStore = 10 * time.Second

// end releases the claims that the pool has not begun, and waits for the others.
func (s *sender) end(ctx context.Context, stop context.CancelFunc) {
	grace := time.AfterFunc(s.o.Grace, stop)
	defer grace.Stop()
	for waiting := true; waiting; {
		select {
		case a := <-s.work:
			s.results <- result{outcome: delivery.Outcome{Delivery: a.delivery, Result: delivery.Released}}
		default:
			waiting = false
		}
	}
	for len(s.active) > 0 {
		s.took(<-s.results)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(s.o.Grace, lastStore))
	defer cancel()
	if err := s.store(last); err != nil {
		s.logger().Warn("results of deliveries were not stored; they are sent again with the same keys", "channel", s.name, "deliveries", len(s.outcomes), "err", faultlog.Text(err))
	}
	s.stats.change(func(n *SendStats) { n.Active = 0 })
}
