package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// DefaultReplicas and DefaultLease are the defaults of Config.
const (
	DefaultReplicas = 2
	DefaultLease    = 15 * time.Second
)

// Config configures a Coordinator. DB is required.
type Config struct {
	// DB is the database that all members share. The caller closes it.
	DB *sqldb.DB
	// Name distinguishes this member from the others. While a live member has the same
	// name, this one waits. Default: the host name.
	Name string
	// Replicas is the number of holders of each shard. With 2, no revision waits for a
	// takeover when a holder fails. All members must have the same number; with different
	// ones, shards may move back and forth. Default: DefaultReplicas.
	Replicas int
	// Lease is the time without a sign of life after which a member is dead. The sign is
	// given five times in that time. Default: DefaultLease.
	Lease time.Duration
	// Program is the version of the program, for people.
	Program string
	// Logger receives faults and moved shards. Default: the value of slog.Default() at the
	// time of the message.
	Logger *slog.Logger
}

// withDefaults returns the configuration with its defaults.
//
// Errors: an invalid field.
func (c Config) withDefaults() (Config, error) {
	if c.Name == "" {
		c.Name, _ = os.Hostname() // an empty name is refused below
	}
	c.Replicas, c.Lease = cmp.Or(c.Replicas, DefaultReplicas), cmp.Or(c.Lease, DefaultLease)
	switch {
	case c.DB == nil:
		return c, errors.New("shard: Config.DB is nil")
	case c.Name == "":
		return c, errors.New("shard: Config.Name is empty, and the host has no name")
	case len(c.Name) > 200:
		return c, fmt.Errorf("shard: the name has %d bytes: want at most 200", len(c.Name))
	case c.Replicas < 0:
		return c, fmt.Errorf("shard: Config.Replicas is %d: want at least 1", c.Replicas)
	case c.Lease < time.Second:
		return c, fmt.Errorf("shard: Config.Lease is %v: want at least 1s", c.Lease)
	}
	return c, nil
}

// Stats counts the work of a Coordinator since it was created.
type Stats struct {
	Members  int // live members, including this one
	Shards   int // shards that somebody offers
	Offered  int // shards that this process offers
	Held     int // shards that this process holds
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

	// For the goroutine of Run.
	member   int64 // own ID; 0: not joined
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
	k.fault = &faultlog.Reporter{Fault: "cannot share the shards", Over: "sharing the shards again", Logger: k.log, Attrs: []any{"recorder", c.Name}}
	return k, nil
}

func (c *Coordinator) log() *slog.Logger {
	if c.c.Logger != nil {
		return c.c.Logger
	}
	return slog.Default()
}

// Name returns the name of this member.
func (c *Coordinator) Name() string { return c.c.Name }

// Stats returns the counters of the coordinator. It is safe for concurrent use.
func (c *Coordinator) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Offered = len(c.offers)
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
	o := &Offer{wake: c.wake, scope: scope, probe: probe, granted: make(chan struct{})}
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
func (c *Coordinator) interval() time.Duration { return c.c.Lease / 5 }

// Run joins the group, and claims and releases shards until ctx ends. Then it leaves the
// group, and returns nil. End it after the recorders have ended, because their last batches
// need the leases. Call it once.
func (c *Coordinator) Run(ctx context.Context) error {
	defer c.fault.Stop()
	tick := time.NewTicker(c.interval())
	defer tick.Stop()
	conflicts := 0
	for beat := true; ctx.Err() == nil; {
		err := c.step(ctx, beat)
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
		select {
		case <-tick.C:
			beat = true
		case <-c.woken:
			beat = false
		case <-ctx.Done():
		}
	}
	c.end(errors.New("the coordinator has ended"))
	return c.leave(context.WithoutCancel(ctx))
}

// step gives a sign of life if beat is set, reads the tables, and carries out the plan.
func (c *Coordinator) step(ctx context.Context, beat bool) error {
	ctx, done := c.c.DB.Bounded(ctx)
	defer done()
	if err := c.refresh(ctx, beat); err != nil {
		return err
	}
	live, dead := c.liveness.observe(time.Now(), c.view.members)
	dead = slices.DeleteFunc(dead, func(m model.ShardMember) bool { return m.ID == c.member })
	todo := compare(&c.view, c.member, c.c.Replicas, live, c.current(), &c.plan)
	todo.dead = dead
	moved := 0
	for _, o := range todo.moved {
		if o.move() {
			moved++
		}
	}
	c.publish(len(live), moved)
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
		if beat || c.member == 0 {
			if err := c.beat(ctx); err != nil {
				return err
			}
		}
		if err := c.view.read(ctx, c.c.DB); err != nil {
			return err
		}
		if slices.ContainsFunc(c.view.members, func(m model.ShardMember) bool { return m.ID == c.member }) {
			return nil
		}
		beat = true
	}
	return nil // removed again: the next step joins
}

// publish updates the counters.
func (c *Coordinator) publish(members, released int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Members, c.stats.Shards = members, len(c.view.loads)
	c.stats.Released += released
}

// beat gives a sign of life, and joins the group if this process is not a member.
//
// Errors: those of the database; another live member has the same name.
func (c *Coordinator) beat(ctx context.Context) error {
	if c.member == 0 {
		return c.join(ctx)
	}
	var alive bool
	err := c.c.DB.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		alive, err = model.BeatShardMember(ctx, tx, c.member, model.Micros(tx.Now()))
		return err
	})
	if err != nil || alive {
		return err
	}
	c.member = 0
	c.end(ErrLost)
	c.mu.Lock()
	c.stats.Removed++
	c.mu.Unlock()
	c.log().Warn("the other recorders took this one for dead and record its shards; it joins them again", "recorder", c.c.Name)
	return c.join(ctx)
}

// join inserts this member.
//
// Errors: those of the database; the name is taken.
func (c *Coordinator) join(ctx context.Context) error {
	var id int64
	err := c.c.DB.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		change, err := model.ChangeShards(ctx, tx)
		if err == nil {
			id, err = change.Join(ctx, c.c.Name, c.c.Program, model.Micros(tx.Now()))
		}
		return err
	})
	if err != nil {
		return err
	}
	if id == 0 {
		return c.supersede(ctx)
	}
	c.member = id
	return nil
}

// supersede removes a member with the name of this one if it is dead.
//
// Errors: those of the database; the member may be alive.
func (c *Coordinator) supersede(ctx context.Context) error {
	if err := c.view.read(ctx, c.c.DB); err != nil {
		return err
	}
	_, dead := c.liveness.observe(time.Now(), c.view.members)
	for _, m := range dead {
		if m.Name == c.c.Name {
			return c.apply(ctx, &changes{dead: []model.ShardMember{m}})
		}
	}
	return fmt.Errorf("a recorder with the name %q is alive, or ended less than %v ago: give each recorder its own name", c.c.Name, c.c.Lease)
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

// leave removes this member, so others take over its shards at once.
func (c *Coordinator) leave(ctx context.Context) error {
	if c.member == 0 {
		return nil
	}
	ctx, done := c.c.DB.Bounded(ctx)
	defer done()
	err := c.c.DB.Transact(ctx, func(tx *sqldb.Tx) error {
		change, err := model.ChangeShards(ctx, tx)
		if err != nil {
			return err
		}
		m, err := model.ShardMemberOf(ctx, tx, c.c.Name)
		if err != nil || m.ID != c.member {
			return nil // somebody else has removed it
		}
		return change.Remove(ctx, m.ID, m.Beat)
	})
	if err != nil {
		c.log().Warn("cannot leave the group of recorders; its shards wait for the end of the lease", "recorder", c.c.Name, "lease", c.c.Lease, "err", err)
	}
	return nil
}
