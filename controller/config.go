package controller

import (
	"context"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// Func reconciles one key: it reads the view and brings the world to the state that the
// object asks for. It returns nil if the key is done, RequeueAfter to be called again after
// a delay, Terminal for an error that is not retried, or any other error to be retried with
// backoff. Several goroutines call it at a time, but never two for the same key.
//
// ctx ends when Config.Timeout is over, when the controller stops and the grace period is
// over, and when this replica loses the key. The next reconcile of the key waits until the
// informers show the writes that were made with ctx.
type Func func(ctx context.Context, v informer.View, r Request) error

// Runner is a component that runs until its context is done, such as an informer or a
// factory.
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

// Config configures a controller. Only Reconcile is required.
type Config struct {
	// Name identifies the controller in logs, health and metrics; default "controller".
	Name string
	// Reconcile is called for each key.
	Reconcile Func
	// Workers is the maximum number of keys that are reconciled at a time; default 1.
	Workers int
	// Timeout is the maximum duration of a reconcile; then its context ends. Default 10
	// minutes; negative means no limit.
	Timeout time.Duration
	// Grace is the time that running reconciles have to end when the controller stops or
	// hands over their keys; then their contexts end. Default 30 seconds; negative means
	// none.
	Grace time.Duration
	// WriteWait is the maximum time that a key waits until the informers show the writes of
	// its earlier reconciles. Then the key is reconciled with the objects that the
	// informers show, and Stats.Unseen counts it. The default is 2 minutes: within this
	// time a bookmark arrives. Keys do not wait for objects that the selectors do not select,
	// unless the answers to the writes do not show a selected field, which is logged once.
	// Negative means that keys do not wait. Each try occupies a worker for at most its first
	// second.
	WriteWait time.Duration
	// Panics determines what happens after Reconcile panics; default
	// informer.RetryOnPanic. A panic of Limiter or Group is recovered and logged once,
	// unless the policy is informer.CrashOnPanic.
	Panics informer.PanicPolicy
	// Limiter returns the delay of a key after an error, from the number of attempts;
	// default workqueue.DefaultLimiter. If it panics, the delay is that of
	// workqueue.Exponential.
	Limiter workqueue.Limiter
	// Group returns the group of a key, for fairness: the queue serves waiting groups in
	// turn. By default all keys are in one group. It must always return the same group for
	// a key. If it panics, the key is in the group "".
	Group func(wire.Key) string
	// Runners are the informers or factories that the controller runs; it stops them after
	// the reconciles. If others also use an informer, its Run must be called by the user
	// that stops last.
	Runners []Runner
	// Replicas configures several processes that run the same controller; default one
	// process.
	Replicas Replicas
	// Leadership makes this controller lead together with others of the process; default
	// nil. Replicas must not be set then.
	Leadership *Leadership
	// Logger receives each error of a reconcile (Error). It also receives sources that
	// are not synced, unusable Leases, and reconciles that do not return, once each with a
	// remedy (Warn), and the end of such a fault (Info). Log returns the logger of a reconcile. Faults of an
	// informer go to the informer's own logger. Default slog.Default() at the time of
	// the line; slog.New(slog.DiscardHandler) disables logging.
	Logger *slog.Logger
}

// withDefaults returns the configuration with defaults for the fields that are not set.
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

// orDefault returns d, its default if d is 0, or 0 if d is negative.
func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return max(0, d)
}
