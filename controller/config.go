package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// Func reconciles one key: it looks at what the view shows, and does what is to
// be done. What it returns is the answer: nil is done, an error is again with
// backoff; Again and Terminal say something else. It is called by several
// goroutines at a time, never for one key by two.
//
// ctx ends when the time is up, when the controller stops and its grace is over,
// and when the key is not this replica's any more. Writes with ctx are waited for
// before the key is reconciled next.
type Func func(ctx context.Context, v informer.View, r Request) error

// Runner is what runs until its context is done: informers, factories.
type Runner interface {
	Run(ctx context.Context) error
}

// Defaults of Config.
const (
	DefaultWorkers    = 1
	DefaultTimeout    = 10 * time.Minute
	DefaultGrace      = 30 * time.Second
	DefaultWriteWait  = 2 * time.Minute
	InitialPriority   = -10
	maxReasons        = 8
	defaultController = "controller"
)

// Config says what a controller does, and how. All but Reconcile may be left out.
type Config struct {
	// Name tells the controller from others in logs, health and metrics; default
	// "controller".
	Name string
	// Reconcile is what it does for each key.
	Reconcile Func
	// Workers is how many keys are reconciled at a time; default 1.
	Workers int
	// Timeout is how long one reconcile may take before its context ends; default
	// 10 minutes, negative: as long as it likes.
	Timeout time.Duration
	// Grace is how long reconciles that run may go on once the controller stops, or
	// hands over their key, before their context ends; default 30 seconds, negative: none.
	Grace time.Duration
	// WriteWait is how long a key waits at most until the informers show what its
	// reconciles have written; then it is reconciled with what they show, and
	// Stats.Unseen counts it. Default 2 minutes, in which a bookmark comes that tells
	// of writes that selectors hide; negative: it does not wait. It keeps a worker for
	// the first second of each try only.
	WriteWait time.Duration
	// Panics determines what happens after Reconcile panics; default
	// informer.RetryOnPanic.
	Panics informer.PanicPolicy
	// Limiter says how long a key waits after an error; default
	// workqueue.DefaultLimiter. It sees the attempts of that key.
	Limiter workqueue.Limiter
	// Group names what a key belongs to, for fairness: groups that wait take turns.
	// Default: all keys are alike. It must always say the same of a key.
	Group func(wire.Key) string
	// Runs are run with the controller, and ended after it: informers, or their
	// factory. What others use too is to be run by who ends it last.
	Runners []Runner
	// Replicas says how several processes with the same controller get along;
	// default: there is one.
	Replicas Replicas
	// Logger receives each error of a reconcile (Error). It also receives sources that
	// are not synced and unusable Leases, once each with a remedy (Warn), and the end
	// of such a fault (Info). Log returns the logger of a reconcile. Faults of an
	// informer go to the informer's own logger. Default slog.Default() at the time of
	// the line; slog.New(slog.DiscardHandler) disables logging.
	Logger *slog.Logger
}

// check returns what makes no sense in a configuration.
func (c *Config) check(sources []Source) error {
	var errs []error
	complain := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("controller %s: "+format, append([]any{c.Name}, args...)...))
	}
	if c.Reconcile == nil {
		complain("Config.Reconcile is not set: it is what the controller does")
	}
	if c.Workers < 0 {
		complain("%d workers can not be", c.Workers)
	}
	if c.Panics > informer.CrashOnPanic {
		complain("there is no policy %d for panics", c.Panics)
	}
	feeds := 0
	for i, s := range sources {
		switch {
		case s.impl == nil:
			complain("source %d is empty, or its informer is nil: Objects and its like make one", i)
		case s.impl.configErr() != nil:
			complain("source %d: %w", i, s.impl.configErr())
		case s.impl.hasKeys():
			feeds++
		}
	}
	if feeds == 0 {
		complain("no source feeds it with keys")
	}
	for i, r := range c.Runners {
		if r == nil {
			complain("Config.Runners[%d] is nil", i)
		}
	}
	if err := c.Replicas.check(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// withDefaults returns the configuration with what it leaves open.
func (c Config) withDefaults() Config {
	if c.Name == "" {
		c.Name = defaultController
	}
	if c.Workers == 0 {
		c.Workers = DefaultWorkers
	}
	c.Timeout = orDefault(c.Timeout, DefaultTimeout)
	c.Grace = orDefault(c.Grace, DefaultGrace)
	c.WriteWait = orDefault(c.WriteWait, DefaultWriteWait)
	c.Replicas = c.Replicas.withDefaults(c.Name)
	return c
}

// orDefault returns a duration, or its default if it is 0; 0 if it is negative.
func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return max(0, d)
}
