package jobindex

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

// Config configures an index.
type Config struct {
	// DB is the database of a recorder, with any rights to read.
	DB *sqldb.DB
	// Logger receives outages of the database. Default: slog.Default() at each line.
	Logger *slog.Logger
	// Changed receives changes in the order of the feed, after the index has them. The
	// goroutine of Run calls it, so it must not block. The receiver owns the slice, and does not
	// change labels. It may be nil.
	Changed func([]Change)
	// Reloaded is called after the index was loaded again, because it could not follow the
	// feed. Changes in between were not reported. It may be nil.
	Reloaded func(reason error, at feed.Position)
}

// Index has all jobs of a database in memory. Create it with New.
type Index struct {
	config Config
	reader *reader
	ready  chan struct{}
	once   sync.Once // closes ready
	done   atomic.Uint64
	stale  atomic.Int64

	mu    sync.RWMutex
	table *table
}

// New returns an empty index, which Run fills.
func New(c Config) *Index {
	return &Index{config: c, reader: &reader{db: c.DB}, ready: make(chan struct{}), table: &table{jobs: map[int64]*Job{}}}
}

// Ready returns a channel that is closed once the index has all jobs for the first time.
func (x *Index) Ready() <-chan struct{} { return x.ready }

// Done returns how much of the first load is done: from 0 to 1.
func (x *Index) Done() float64 { return math.Float64frombits(x.done.Load()) }

// Position returns the position in the feed that the index has applied.
func (x *Index) Position() feed.Position {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.table.position
}

// Stale returns since when the database has not answered; zero while it answers.
func (x *Index) Stale() time.Time { return model.Time(x.stale.Load()) }

// Bytes returns the memory that the index takes, about.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return int64(len(x.table.jobs)) * 1000
}

// View calls f with one consistent state of the index, and returns the error of f. f must be
// short, because changes wait for it, and must not call View.
func (x *Index) View(f func(*View) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return f(&View{t: x.table, now: now()})
}

// Put adds jobs, or replaces jobs with their IDs. Programs use it that have jobs without a
// database, such as benchmarks. It must not be called while Run runs.
func (x *Index) Put(jobs []Job) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range jobs {
		j := jobs[i]
		x.table.jobs[j.ID] = &j
	}
	x.once.Do(func() { close(x.ready) })
	x.done.Store(math.Float64bits(1))
}

// The times of the loop that follows the feed.
const (
	pollInterval = 40 * time.Millisecond
	firstRetry   = 100 * time.Millisecond
	lastRetry    = 5 * time.Second
)

// Run loads all jobs, and then follows the feed until ctx ends. It returns the cause of ctx. It
// blocks. Call it once.
//
// It logs an outage of the database once, and tries again until the database answers.
func (x *Index) Run(ctx context.Context) error {
	fault := &faultlog.Reporter{Fault: "the job index cannot read the database", Over: "the job index reads the database", Logger: x.logger}
	defer fault.Stop()
	failed := 0
	var loaded bool
	for {
		wait := pollInterval
		err := x.step(ctx, &loaded)
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

func (x *Index) logger() *slog.Logger { return cmp.Or(x.config.Logger, slog.Default()) }

// step loads the index, or applies what follows in the feed.
func (x *Index) step(ctx context.Context, loaded *bool) error {
	if !*loaded {
		if err := x.load(ctx); err != nil {
			return err
		}
		*loaded = true
	}
	err := x.follow(ctx)
	if errors.Is(err, feed.ErrExpired) || errors.Is(err, feed.ErrAhead) {
		*loaded = false
		if err := x.load(ctx); err != nil {
			return err
		}
		*loaded = true
		if x.config.Reloaded != nil {
			x.config.Reloaded(err, x.Position())
		}
		return nil
	}
	return err
}

// load reads all jobs.
func (x *Index) load(ctx context.Context) error {
	head, err := feed.Head(ctx, x.reader.db)
	if err != nil {
		return err
	}
	types, err := x.reader.types(ctx)
	if err != nil {
		return err
	}
	all := map[int64]*Job{}
	for after := int64(0); ; {
		jobs, last, err := x.reader.after(ctx, types, after, 2000)
		if err != nil {
			return err
		}
		if err := x.reader.asks(ctx, jobs); err != nil {
			return err
		}
		for i := range jobs {
			all[jobs[i].ID] = &jobs[i]
		}
		if after = last; last == 0 {
			break
		}
	}
	gaps, err := x.reader.gaps(ctx)
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.table = &table{all, gaps, head}
	x.mu.Unlock()
	x.done.Store(math.Float64bits(1))
	x.once.Do(func() { close(x.ready) })
	return nil
}

// follow applies what follows in the feed.
func (x *Index) follow(ctx context.Context) error {
	after := x.Position()
	var some []feed.Transition
	for t, err := range feed.Read(ctx, x.reader.db, after) {
		if err != nil {
			return err
		}
		some = append(some, t)
	}
	if len(some) == 0 {
		return nil
	}
	var ids []int64
	for i := range some {
		ids = append(ids, some[i].Object.ID)
	}
	jobs, err := x.reader.byID(ctx, ids)
	if err == nil {
		err = x.reader.asks(ctx, jobs)
	}
	if err != nil {
		return err
	}
	byID := map[int64]*Job{}
	for i := range jobs {
		byID[jobs[i].ID] = &jobs[i]
	}
	var changes []Change
	x.mu.Lock()
	at := now()
	for i := range some {
		t := &some[i]
		j := byID[t.Object.ID]
		if x.table.position = t.Position; j == nil {
			continue
		}
		c := Change{Position: t.Position, Kind: t.Kind, Seen: t.Seen}
		var before state.State
		if old := x.table.jobs[j.ID]; old != nil {
			before = old.State
		} else {
			c.New = true
		}
		c.Before = before
		x.table.jobs[j.ID] = j
		c.Row, _ = rowOf(j, at, false, x.table.gaps)
		changes = append(changes, c)
	}
	x.mu.Unlock()
	if len(changes) > 0 && x.config.Changed != nil {
		x.config.Changed(changes)
	}
	return nil
}
