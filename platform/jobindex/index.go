package jobindex

import (
	"cmp"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Config configures an index.
type Config struct {
	// DB is the database of a recorder, with any rights to read.
	DB *sqldb.DB
	// Logger logs outages of the database. Default: slog.Default() at the time of the
	// message.
	Logger *slog.Logger
	// Changed receives changes in the order of the feed, after the index has them. It runs
	// on the goroutine of Run, so it must not block. The receiver owns the slice, but must
	// not change labels. It may be nil.
	Changed func([]Change)
	// Reloaded is called after the index was loaded again, because it could not follow the
	// feed. Changes in between were not reported. It may be nil.
	Reloaded func(reason error, at feed.Position)
}

// Index has all jobs of a database in memory. Create it with New.
type Index struct {
	config Config
	ready  chan struct{}
	once   sync.Once // closes ready
	done   atomic.Uint64
	stale  atomic.Int64

	mu    sync.RWMutex
	table *table
}

// New returns an empty index, which Run fills.
func New(c Config) *Index {
	return &Index{config: c, ready: make(chan struct{}), table: newTable()}
}

// Ready returns a channel that is closed when the index has loaded all jobs for the first
// time.
func (x *Index) Ready() <-chan struct{} { return x.ready }

// Done returns the progress of the first load, from 0 to 1.
func (x *Index) Done() float64 { return math.Float64frombits(x.done.Load()) }

// Position returns the position in the feed that the index has applied.
func (x *Index) Position() feed.Position {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.table.position
}

// Stale returns the time since which the database has not answered; zero while it answers.
func (x *Index) Stale() time.Time { return timeOf(x.stale.Load()) }

// Bytes returns the approximate memory of the index.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.table.bytes()
}

// View calls f with one consistent state of the index, and returns the error of f. f must
// be short, because changes wait for it, and must not call View or another method of the
// index.
func (x *Index) View(f func(*View) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return f(newView(x.table, time.Now()))
}

// Put adds jobs, or replaces jobs with the same IDs, and makes the index ready. It is for
// programs with jobs but no database, such as benchmarks. It must not be called during
// Run.
func (x *Index) Put(jobs []Job) {
	x.change(func(t *table) { t.putAll(jobs) })
	x.finish()
}

// finish makes the index ready.
func (x *Index) finish() {
	x.done.Store(math.Float64bits(1))
	x.once.Do(func() { close(x.ready) })
}

// lock waits until no view is open. A writer that waits for the lock blocks all later
// views, so lock first tries in between them. After patience it waits.
func (x *Index) lock() {
	if x.mu.TryLock() {
		return
	}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for begun := time.Now(); time.Since(begun) < patience; <-ticker.C {
		if x.mu.TryLock() {
			return
		}
	}
	x.mu.Lock()
}

// patience is the time for which changes give way to views.
const patience = 500 * time.Millisecond

// change calls f with the table. Views see all of its changes or none.
func (x *Index) change(f func(*table)) {
	x.lock()
	defer x.mu.Unlock()
	f(x.table)
}

// replace replaces the table.
func (x *Index) replace(t *table) {
	x.lock()
	defer x.mu.Unlock()
	x.table = t
}

// report reports changes.
func (x *Index) report(all []Change) {
	if len(all) > 0 && x.config.Changed != nil {
		x.config.Changed(all)
	}
}

func (x *Index) logger() *slog.Logger { return cmp.Or(x.config.Logger, slog.Default()) }
