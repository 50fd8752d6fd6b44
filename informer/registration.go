package informer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/guard"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/store"
)

// Registration is one handler of an informer. Any goroutine may use it.
type Registration struct {
	engine *engine
	cfg    HandlerConfig
	logger func() *slog.Logger
	call   func(context.Context, []store.Change) error
	batch  bool

	synced  chan struct{}
	removed context.Context
	remove  context.CancelFunc
	done    chan struct{}
	started atomic.Bool
	log     *handlerLog

	subscriber                subscriber
	waiting                   atomic.Int64
	handled, failures, panics atomic.Uint64
	mu                        sync.Mutex
	err                       error        // the panic that ended the handler
	last                      error        // the last failure
	called                    time.Time    // start of the current call; zero if no call is in progress
	with                      store.Change // argument of the current call
}

// register adds a handler, and starts it if the engine runs.
func (e *engine) register(cfg HandlerConfig, logger func() *slog.Logger, call func(context.Context, []store.Change) error, batch bool) (*Registration, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == engineStopped {
		return nil, ErrStopped
	}
	if e.handlers++; cfg.Name == "" {
		cfg.Name = fmt.Sprint("handler ", e.handlers)
	}
	r := &Registration{engine: e, cfg: cfg, logger: logger, call: call, batch: batch, synced: make(chan struct{}), done: make(chan struct{})}
	r.subscriber = subscriber{engine: e, logger: logger, name: cfg.Name, cfg: cfg.Subscription, panics: cfg.Panics, stop: r.stop, synced: func() {
		close(r.synced)
		e.notify()
	}}
	r.subscriber.current = func() (store.Change, bool) {
		called, c := r.calling()
		return c, !called.IsZero()
	}
	r.removed, r.remove = context.WithCancel(context.Background())
	if r.cfg.Report == nil {
		r.cfg.Report = func(err error) {
			logger().Error("informer: a handler failed", "resource", e.named(), "handler", cfg.Name, "err", err)
		}
	}
	r.log = r.newLog()
	if e.state == engineRuns && !r.start() {
		return nil, ErrStopped
	}
	e.registrations = append(e.registrations, r)
	return r, nil
}

// start starts the handler, and reports whether the engine still runs. The subscription
// begins here and not with the goroutine, which may be late: an object of the first list
// that is deleted at once would never be reported.
func (r *Registration) start() bool {
	r.subscriber.sub = r.engine.store.Subscribe(r.subscriber.cfg.Mode)
	if !r.engine.consumers.start(r.run) {
		r.subscriber.sub.Close()
		return false
	}
	return true
}

// Name returns the name of the handler.
func (r *Registration) Name() string { return r.cfg.Name }

// Synced returns a channel that is closed once the handler has been called for all objects
// of the first lists, and for all objects that existed when it was registered.
func (r *Registration) Synced() <-chan struct{} { return r.synced }

// Remove ends the handler. It cancels the context of a call in progress and does not wait
// for it; Done reports the end. So a handler may remove itself.
func (r *Registration) Remove() {
	r.remove()
	r.engine.forget(r)
	r.abort()
}

// abort closes done if the handler was never started. It cannot start afterwards.
func (r *Registration) abort() {
	if !r.started.Swap(true) {
		close(r.done)
	}
}

// Done returns a channel that is closed once the handler will not be called again.
func (r *Registration) Done() <-chan struct{} { return r.done }

// Err returns the panic that ended the handler. It is nil if the handler was removed, the
// informer has stopped, or the handler has not ended.
func (r *Registration) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (e *engine) forget(r *Registration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.registrations = slices.DeleteFunc(e.registrations, func(other registered) bool { return other == r })
	e.notifyLocked()
}

// run calls the handler until ctx is done or it is removed.
func (r *Registration) run(ctx context.Context) {
	if r.started.Swap(true) {
		r.subscriber.sub.Close()
		return // the handler was removed before it started
	}
	defer close(r.done)
	defer r.log.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.removed, cancel)()
	if r.cfg.Subscription.Mode == store.Lossless {
		ctx = context.WithValue(ctx, losslessKey{r.engine}, true)
	}
	r.subscriber.run(ctx, func(changes []store.Change) bool { return r.deliver(ctx, changes) })
}

// deliver calls the handler for changes, and reports whether the handler continues.
func (r *Registration) deliver(ctx context.Context, changes []store.Change) bool {
	r.waiting.Store(int64(len(changes)))
	defer r.waiting.Store(0)
	size := 1
	if r.batch {
		size = r.cfg.BatchSize
	}
	for some := range slices.Chunk(changes, size) {
		if ctx.Err() != nil {
			return false
		}
		now := time.Now()
		for i := range some {
			if seen := some[i].Seen; !seen.IsZero() && some[i].Cause == store.Watched {
				r.engine.lags.handler.observe(now.Sub(seen))
			}
		}
		if !r.handle(ctx, some) {
			return false
		}
		r.handled.Add(uint64(len(some)))
		r.waiting.Add(-int64(len(some)))
	}
	return ctx.Err() == nil
}

// handle calls the handler until it succeeds or no retry is left, and reports whether the
// handler continues.
func (r *Registration) handle(ctx context.Context, changes []store.Change) bool {
	backoff := r.cfg.MinBackoff
	for try := 0; ; try++ {
		r.begins(changes[0])
		err := r.tryCall(ctx, changes)
		r.returns()
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		r.failed(err, changes)
		var p *PanicError
		switch {
		case errors.As(err, &p) && r.cfg.Panics == StopOnPanic:
			r.stop(err)
			return false
		case errors.As(err, &p) && r.cfg.Panics == SkipOnPanic, r.cfg.Retry >= 0 && try >= r.cfg.Retry:
			return true
		}
		if pause.For(ctx, backoff) != nil {
			return false
		}
		backoff = min(2*backoff, r.cfg.MaxBackoff)
	}
}

// tryCall calls the handler once.
func (r *Registration) tryCall(ctx context.Context, changes []store.Change) error {
	if r.cfg.Panics == CrashOnPanic {
		return r.call(ctx, changes)
	}
	return guard.Call(func() error { return r.call(ctx, changes) })
}

// failed counts and reports a failure. Report may panic too.
func (r *Registration) failed(err error, changes []store.Change) {
	var p *PanicError
	if errors.As(err, &p) {
		r.panics.Add(1)
	}
	r.failures.Add(1)
	err = fmt.Errorf("%v of %v: %w", changes[0].Kind, changes[0].Last().Key(), err)
	r.mu.Lock()
	r.last = err
	r.mu.Unlock()
	if again := guard.Call(func() error { r.cfg.Report(err); return nil }); again != nil {
		r.logger().Error("informer: HandlerConfig.Report failed", "handler", r.cfg.Name, "err", again)
	}
	r.engine.notify()
}

func (r *Registration) stop(err error) {
	r.mu.Lock()
	r.err = err
	r.mu.Unlock()
	r.remove()
}

func (r *Registration) health() HandlerHealth {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := HandlerHealth{
		Name: r.cfg.Name, Waiting: int(r.waiting.Load()), Called: r.called,
		Handled: r.handled.Load(), Failures: r.failures.Load(), Panics: r.panics.Load(), LastErr: r.last,
	}
	if sub := r.subscriber.lag.Load(); sub != nil {
		h.Lag = sub.Lag()
	}
	select {
	case <-r.synced:
		h.Synced = true
	default:
	}
	return h
}

func (r *Registration) newLog() *handlerLog {
	l := &handlerLog{hangs: r.engine.log("informer: a handler does not return", "informer: a handler has returned", "handler", r.cfg.Name)}
	l.hangs.Logger = r.logger
	l.timer = time.AfterFunc(reportAfter, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if called, change := r.calling(); !called.IsZero() {
			l.hangs.See(faultlog.State{
				Kind:   "hanging",
				Err:    fmt.Errorf("the call has lasted %v; later events wait", reportAfter),
				Remedy: "do long work in a workqueue or a controller",
				Attrs:  []any{"event", change.Kind.String(), "object", change.Last().Key().String()},
			})
		}
	})
	l.timer.Stop()
	return l
}

// calling returns the start of the handler's current call and its change. The time is
// zero if no call is in progress.
func (r *Registration) calling() (time.Time, store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called, r.with
}

// begins marks the start of a call of the handler, and returns marks its end.
func (r *Registration) begins(change store.Change) {
	r.mu.Lock()
	r.called, r.with = time.Now(), change
	r.mu.Unlock()
	r.log.timer.Reset(reportAfter)
}

func (r *Registration) returns() {
	overdue := !r.log.timer.Stop()
	r.mu.Lock()
	r.called, r.with = time.Time{}, store.Change{}
	r.mu.Unlock()
	if overdue {
		r.log.mu.Lock()
		defer r.log.mu.Unlock()
		r.log.hangs.See(faultlog.State{})
	}
}
