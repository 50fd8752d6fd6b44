package shard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Stats counts the work of a Coordinator since it was created.
type Stats struct {
	Members  int // live members, including this one
	Shards   int // shards that somebody offers
	Offered  int // shards that this process offers
	Held     int // shards that this process holds
	Unheld   int // shards that no member records, as far as this process has seen
	Claimed  int // leases that began
	Released int // leases that ended because a shard moved
	Removed  int // times that others removed this member
}

// Coordinator makes this process a member of the group of recorders that share a database.
// Create it with New.
type Coordinator struct {
	c     Config
	fault *faultlog.Reporter
	woken chan struct{}

	mu     sync.Mutex
	offers []*Offer
	stats  Stats
	looked bool // the tables were read

	// For the goroutine of Run.
	began    time.Time
	me       membership
	liveness liveness
	view     view
	plan     cachedPlan
}

// New returns a coordinator. It holds no shard before Run.
//
// Errors: an invalid field.
func New(c Config) (*Coordinator, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	k := &Coordinator{c: c, woken: make(chan struct{}, 1), liveness: liveness{lease: c.Lease}, view: newView()}
	k.me.c = &k.c
	k.fault = &faultlog.Reporter{Fault: "cannot share the shards", Over: "sharing the shards again", Logger: k.log, Attrs: []any{"recorder", c.Name}}
	return k, nil
}

func (c *Coordinator) log() *slog.Logger { return c.c.log() }

// Name returns the name of this member.
func (c *Coordinator) Name() string { return c.c.Name }

// Stats returns the counters of the coordinator. It is safe for concurrent use.
func (c *Coordinator) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	if s.Offered = len(c.offers); !c.looked {
		s.Unheld = s.Offered // nobody is known to record them
	}
	for _, o := range c.offers {
		if o.Held() {
			s.Held++
		}
	}
	return s
}

// Offer offers to record a shard. probe describes the work while this process holds the
// shard; it must not block.
func (c *Coordinator) Offer(scope model.Scope, probe func() Sample) *Offer {
	o := &Offer{wake: c.wake, scope: scope, probe: probe, lapse: c.c.Lease, granted: make(chan struct{})}
	c.mu.Lock()
	c.offers = append(c.offers, o)
	c.mu.Unlock()
	c.wake()
	return o
}

func (c *Coordinator) wake() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

// maxConflicts is the number of conflicts with other transactions in a row that are not
// logged. The next step repeats what was refused.
const maxConflicts = 3

// interval is the time between two signs of life.
func (c *Coordinator) interval() time.Duration { return c.c.Lease / beatsPerLease }

// newcomer reports whether this process does not know the group yet: it is not a member, or runs for
// less than a lease. It looks more often, so that even the observations of a short life count,
// and the first signs of life of others are seen soon.
func (c *Coordinator) newcomer() bool { return c.me.id == 0 || time.Since(c.began) <= c.c.Lease }

// Run joins the group, and claims and releases shards until ctx ends. Then it leaves the
// group, and returns nil. End it after the recorders have ended, because their last batches
// need the leases. Call it once.
func (c *Coordinator) Run(ctx context.Context) error {
	defer c.fault.Stop()
	tick, look := time.NewTicker(c.interval()), time.NewTicker(c.interval()/looksPerBeat)
	defer tick.Stop()
	defer look.Stop()
	c.began = time.Now()
	conflicts := 0
	for beat := true; ctx.Err() == nil; {
		err := c.step(ctx, beat)
		if err != nil && c.me.id == 0 {
			c.unjoined(err)
		}
		switch {
		case err == nil:
			conflicts = 0
			c.fault.See(faultlog.State{})
		case ctx.Err() != nil:
		case c.c.DB.Conflicts(err) && conflicts < maxConflicts:
			conflicts++
		default:
			c.fault.See(faultlog.State{Kind: "shards", Err: err})
		}
		looks := look.C
		if !c.newcomer() {
			looks = nil
		}
		select {
		case <-tick.C:
			beat = true
		case <-looks:
			beat = false
		case <-c.woken:
			beat = false
		case <-ctx.Done():
		}
	}
	c.end(errors.New("the coordinator has ended"))
	c.me.leave(context.WithoutCancel(ctx))
	c.me.release()
	return nil
}

// step gives a sign of life if beat is set, reads the tables, and carries out the plan.
func (c *Coordinator) step(ctx context.Context, beat bool) error {
	ctx, done := c.c.DB.Bounded(ctx)
	defer done()
	if err := c.refresh(ctx, beat); err != nil {
		return err
	}
	seen, err := c.observe(ctx)
	if err != nil {
		return err
	}
	todo := compare(&c.view, c.me.id, c.c.Replicas, &seen, c.current(), &c.plan)
	todo.dead = seen.dead
	moved := 0
	for _, o := range todo.moved {
		if o.move() {
			moved++
		}
	}
	c.publish(&seen, moved)
	if todo.empty() {
		return nil
	}
	return c.apply(ctx, &todo)
}

// refresh gives a sign of life if beat is set, and reads the tables. If this member is not in
// them, it gives a sign of life at once, which makes it join again. Otherwise it would offer
// its shards without success until the next sign of life.
func (c *Coordinator) refresh(ctx context.Context, beat bool) error {
	for range 2 {
		if beat || c.me.id == 0 {
			if err := c.beat(ctx); err != nil {
				return err
			}
		}
		if err := c.view.read(ctx, c.c.DB); err != nil {
			return err
		}
		if slices.ContainsFunc(c.view.members, func(m model.ShardMember) bool { return m.ID == c.me.id }) {
			return nil
		}
		beat = true
	}
	return nil // removed again: the next step joins
}

// observe looks at the members that were read, and stores for the next observers how long some
// of them have been silent.
func (c *Coordinator) observe(ctx context.Context) (seen verdict, err error) {
	seen = c.liveness.observe(time.Now(), c.view.members)
	seen.include(c.me.id)
	if len(seen.silent) == 0 {
		return seen, nil
	}
	return seen, c.c.DB.Transact(ctx, func(tx *sqldb.Tx) error {
		for _, s := range seen.silent {
			if err := model.RaiseSilence(ctx, tx, s.member, s.micros); err != nil {
				return err
			}
		}
		return nil
	})
}

// beat gives a sign of life, and joins the group if this process is not a member.
//
// Errors: those of the database; another live member has the same name.
func (c *Coordinator) beat(ctx context.Context) error {
	if c.me.id == 0 {
		return c.enter(ctx)
	}
	var alive bool
	err := c.c.DB.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		alive, err = model.BeatShardMember(ctx, tx, c.me.id, c.c.Name, model.Micros(tx.Now()))
		return err
	})
	if err != nil || alive {
		return err
	}
	c.me.id = 0
	c.end(ErrLost)
	c.mu.Lock()
	c.stats.Removed++
	c.mu.Unlock()
	c.log().Warn("the other recorders took this one for dead and record its shards; it joins them again", "recorder", c.c.Name)
	return c.enter(ctx)
}

// publish updates the counters, and what the offers know about other holders.
func (c *Coordinator) publish(seen *verdict, released int) {
	shards, _ := c.plan.of(&c.view, seen, c.c.Replicas)
	elsewhere, unheld := recorded(shards, seen, c.me.id)
	unheld = max(unheld, c.stand(elsewhere)) // an offer of this process may not be in the tables yet
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked = true
	c.stats.Members, c.stats.Shards, c.stats.Unheld = len(seen.live), len(c.view.loads), unheld
	c.stats.Released += released
}

// stand tells the offers whether somebody else records their shards: another member, or another
// offer of this process for the same shard. It returns the number of offers whose shards nobody
// records.
func (c *Coordinator) stand(elsewhere map[int64]bool) (unheld int) {
	offers, now := c.current(), time.Now()
	for _, o := range offers {
		if id, holds := o.state(); holds {
			elsewhere[id] = true
		}
	}
	for _, o := range offers {
		s := standing{at: now}
		if id, _ := o.state(); c.me.id == 0 {
			s.err = errNotJoined // the tables have no offers of this process
		} else if !elsewhere[id] {
			s.err = errUnheld
			unheld++
		}
		o.standing.Store(&s)
	}
	return unheld
}

// unjoined publishes why this process is no member.
func (c *Coordinator) unjoined(err error) {
	s := standing{at: time.Now(), err: fmt.Errorf("%w: %w", errNotJoined, err)}
	for _, o := range c.current() {
		o.standing.Store(&s)
	}
}

// enter makes this process a member.
//
// Errors: those of the database; the name is taken.
func (c *Coordinator) enter(ctx context.Context) error {
	c.me.lock()
	if err := c.view.read(ctx, c.c.DB); err != nil {
		return err
	}
	seen, err := c.observe(ctx)
	if err != nil {
		return err
	}
	c.publish(&seen, 0)
	if err := c.me.succeed(ctx, c.view.members, &seen); err != nil {
		return err
	}
	return c.me.join(ctx)
}

// current returns the offers of this process.
func (c *Coordinator) current() []*Offer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.offers)
}

// apply carries out changes in one transaction.
func (c *Coordinator) apply(ctx context.Context, todo *changes) error {
	if err := c.c.DB.Transact(ctx, func(tx *sqldb.Tx) error { return todo.write(ctx, tx) }); err != nil {
		return err
	}
	for _, m := range todo.dead {
		c.log().Warn("a recorder gave no sign of life; others take over its shards", "recorder", m.Name, "lease", c.c.Lease)
	}
	granted := todo.commit()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Claimed += granted
	c.offers = slices.DeleteFunc(c.offers, func(o *Offer) bool { return slices.Contains(todo.withdrawn, o) })
	c.wake() // the next step reads the result
	return nil
}

// end ends all leases.
func (c *Coordinator) end(cause error) {
	for _, o := range c.current() {
		o.end(cause)
	}
}
