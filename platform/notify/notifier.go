package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Config configures a Notifier. Only File is required.
type Config struct {
	// File is the content of the file of rules. SetConfig replaces it.
	File *config.Config
	// Open opens a channel of the file; default (*config.Channel).Open. Programs with
	// their own channels set it.
	Open func(*config.Channel) (channel.Channel, error)
	// Facts adds the known facts about a job to a notice; default facts.New.
	Facts Facts
	// Progress finds signals of progress that are not in recorded revisions; default the last
	// lines of kept logs.
	Progress Progress
	// Name names the process for people who read the database; default its host name and
	// process ID.
	Name string
	// Workers are the options of the workers. New sets DB, Compose, Name and Logger.
	Workers WorkerOptions
	// Logger logs faults; default slog.Default() at the time of the message.
	Logger *slog.Logger
	// Now returns the time, for tests; default sqldb.DB.Now.
	Now func() time.Time
}

// Notifier plans and sends notifications. Several processes may have a Notifier on the
// same database. Any goroutine may call its methods.
type Notifier struct {
	c        Config
	db       *sqldb.DB
	current  atomic.Pointer[setup]
	counts   counters
	planning plannerOptions
	logs     *logTail
	workers  *Workers
	mu       sync.Mutex // held while the file is replaced
	outlets  map[string]*outlet
	finished bool
}

// New returns a Notifier for a database whose schema is up to date. It opens the channels
// of the file, and Run closes them. A channel that cannot be opened is a fault in Health
// and in the log, and its messages wait.
//
// Errors: c.File is nil.
func New(db *sqldb.DB, c Config) (*Notifier, error) {
	if c.File == nil {
		return nil, errors.New("notify: Config.File is nil")
	}
	if c.Open == nil {
		c.Open = (*config.Channel).Open
	}
	if c.Facts == nil {
		c.Facts = facts.New(db)
	}
	kept := joblog.New(db, joblog.Limits{}, nil)
	if c.Progress == nil {
		c.Progress = logProgress{kept}
	}
	if c.Now == nil {
		c.Now = db.Now
	}
	if c.Name == "" {
		host, _ := os.Hostname() // an empty name is valid
		c.Name = fmt.Sprintf("%s/%d", host, os.Getpid())
	}
	n := &Notifier{c: c, db: db}
	n.planning = plannerOptions{
		db: db, setup: n.current.Load, now: c.Now, once: &once{logger: n.log}, counts: &n.counts, facts: c.Facts, progress: c.Progress, usual: newUsual(db, c.Now),
		wake: func(channels ...string) { n.workers.Wake(channels...) }, every: tickEvery,
		keep: cmp.Or(c.Workers.Keep, delivery.Keep), rounds: &atomic.Uint64{},
	}
	n.logs = &logTail{kept, n.planning.once, logWait}
	o := c.Workers
	o.DB, o.Name, o.Logger = db, c.Name, c.Logger
	o.Compose = (&composer{db: db, setup: n.current.Load, now: c.Now, once: n.planning.once, logs: n.logs}).compose
	n.workers = NewWorkers(o, nil)
	n.SetConfig(c.File)
	return n, nil
}

// SetConfig replaces the rules, people and channels while the notifier runs. Messages of
// removed rules are still sent as they were planned. Messages for removed channels wait,
// and Health reports them. SetConfig keeps no reference to the earlier file.
func (n *Notifier) SetConfig(file *config.Config) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.finished {
		return
	}
	n.outlets = openOutlets(file, n.outlets, n.c.Open)
	for _, o := range n.outlets {
		if o.err != nil {
			n.log().Error("a channel cannot be opened; its messages wait", "channel", o.config.Name, "err", faultlog.Text(o.err))
		}
	}
	n.current.Store(newSetup(file, digestsOf(n.outlets)))
	if r := &file.Retry; !r.IsZero() {
		n.workers.SetPolicy(delivery.Policy{Backoff: r.Waits, Threshold: r.PauseAfter, Pause: r.Pause, MaxPause: r.LongestPause})
	} else {
		n.workers.SetPolicy(n.c.Workers.Policy)
	}
	n.workers.SetChannels(channelsOf(n.outlets))
}

// Run plans and sends until ctx ends, and returns when all tries in progress have ended.
// Call it once.
//
// Errors: feed.ErrExpired if no planner has run for so long that transitions were removed,
// and feed.ErrNoCursor if the cursor was removed.
func (n *Notifier) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { n.workers.Run(ctx) })
	all.Go(func() { n.files().run(ctx) })
	all.Go(func() { n.planning.usual.keep(ctx, func() bool { return n.current.Load().needsUsual() }, n.log) })
	err := n.planning.consumer(n.c.Name, n.c.Logger).Run(ctx, n.db)
	stop()
	all.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.finished = true
	return err
}

// files returns the comparison of the file with those of other notifiers.
func (n *Notifier) files() *fileComparison {
	return &fileComparison{db: n.db, name: n.c.Name, now: n.c.Now, hash: func() string { return n.current.Load().file.Hash }, logger: n.log}
}

// Health reads the state of notifications.
//
// Errors: those of the database.
func (n *Notifier) Health(ctx context.Context) (Health, error) {
	n.mu.Lock()
	known := map[string]error{}
	for name, o := range n.outlets {
		known[name] = o.err
	}
	n.mu.Unlock()
	return readHealth(ctx, n.db, known, n.c.Now())
}

// Stats returns the counts of the planner of this process.
func (n *Notifier) Stats() Stats { return n.counts.stats() }

// SendStats returns the counts of the workers of this process, by channel.
func (n *Notifier) SendStats() map[string]SendStats { return n.workers.Stats() }

// Wake makes the workers of this process check for deliveries immediately.
func (n *Notifier) Wake() { n.workers.Wake() }

// log returns the logger. It looks up the default logger on each call.
func (n *Notifier) log() *slog.Logger {
	if n.c.Logger != nil {
		return n.c.Logger
	}
	return slog.Default()
}
