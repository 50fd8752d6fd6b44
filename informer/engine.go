package informer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// ErrRunTwice is returned by Run if it was called before.
var ErrRunTwice error = &errcode.Error{Code: errcode.FailedPrecondition, Problem: "informer: Run was called twice; an informer runs once"}

// ErrShared is returned by the Run of an informer that belongs to a factory. The factory
// runs the informer.
var ErrShared error = &errcode.Error{Code: errcode.FailedPrecondition, Problem: "informer: the informer belongs to a factory", Remedy: "call the Run of the factory"}

// ErrStopped is returned by methods that need an informer that has not stopped.
var ErrStopped error = &errcode.Error{Code: errcode.FailedPrecondition, Problem: "informer: the informer has been stopped"}

// ErrWaitInHandler is returned by WaitFor and WaitForWrite if the context is that of a
// handler of store.Lossless of the same informer. The informer waits for such a handler, so
// the handler cannot wait for the informer.
var ErrWaitInHandler error = &errcode.Error{
	Code:    errcode.FailedPrecondition,
	Problem: "informer: a Lossless handler cannot wait for its own informer",
	Remedy:  "wait in another goroutine, or use store.EveryChange",
}

// engine is an informer without its type: the store, and the reflectors that fill it
// through the queue. Several informers may share an engine.
type engine struct {
	cfg      Config
	identity store.Identity
	open     func(*clusterState, delta.Scope) (reflector.Source, error)
	store    *store.Store
	queue    *delta.Queue

	memo    memo
	lags    lags
	idle    idleMonitor
	saving  *faultlog.Reporter // reports faults of the snapshot file
	refused *faultlog.Reporter // reports failures of Transform and of index functions
	decodes atomic.Uint64
	several bool // made by Across: a fault of one cluster must not affect the others

	indexing sync.Mutex
	fields   map[string]*store.Index // by path

	mu            sync.Mutex
	spec          spec
	wanted        map[delta.Scope]*listWatch // lists and watches of the spec
	active        map[delta.Scope]*listWatch // lists and watches of the store: the wanted ones and those about to leave
	wakeup        chan struct{}              // one token: the spec has changed, or the list of a successor is complete
	state         engineState
	coldStart     error           // why the snapshot file was not used
	cancelRun     func()          // ends run; set by run
	failure       error           // the error of fail; run returns it
	updated       chan struct{}   // closed at the next change of the health
	registrations []*Registration // in the order of their registration
	handlers      int             // number of handlers that were ever registered

	producers taskGroup // reflectors and reconcile
	consumers taskGroup // handlers
	stopped   context.Context
	stop      context.CancelFunc
}

type engineState uint8

const (
	engineNew engineState = iota
	engineStarts
	engineRuns
	engineStopped
)

func newEngine(cfg Config, group *store.Group, decode func(wire.Record) (any, error), open func(*clusterState, delta.Scope) (reflector.Source, error)) *engine {
	e := &engine{
		cfg: cfg, open: open,
		queue:   delta.NewQueue(cfg.Queue),
		active:  map[delta.Scope]*listWatch{},
		wakeup:  make(chan struct{}, 1),
		updated: make(chan struct{}),
		fields:  map[string]*store.Index{},
	}
	e.saving = e.log("informer: the snapshot file cannot be written", "informer: the snapshot file is written again", "file", cfg.WarmStart.Path)
	e.refused = e.log("informer: a function of the program failed for an object", "")
	of := store.Config{Backlog: cfg.Backlog, Group: group, Transform: cfg.Transform, Panics: cfg.Panics.ofStore(), Report: func(err error) {
		e.refused.See(faultlog.State{Err: err, Remedy: "correct Transform or the index function; Stats.Refused and Stats.Unindexed count the failures"})
	}}
	switch {
	case cfg.Storage == Live:
		of.Decode = decode
		if cfg.Decode != nil {
			of.Bodies = store.ObjectsOnly
		}
	case cfg.KeepObject != nil && cfg.Decode != nil:
		of.Decode, of.KeepObject = decode, cfg.KeepObject
	}
	e.store = store.New(of)
	e.stopped, e.stop = context.WithCancel(context.Background())
	e.idle.remedy = runIt
	return e
}

// run follows the clusters until ctx is done. The caller has called begin.
func (e *engine) run(ctx context.Context) error {
	e.idle.running()
	e.loadFile()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.mu.Lock()
	e.cancelRun = cancel
	e.mu.Unlock()
	applying, halt := context.WithCancel(context.WithoutCancel(ctx))
	defer halt()
	var apply sync.WaitGroup
	apply.Go(func() {
		if err := e.apply(applying); err != nil {
			e.fail(err)
		}
	})
	e.launch(ctx)
	saved := e.keepFile(ctx)
	<-ctx.Done()
	e.end()
	e.producers.join()
	e.queue.Close() // apply still takes what the queue holds
	e.finish(halt, &apply)
	<-saved
	e.consumers.join()
	e.saveFile()
	e.saving.Stop()
	e.refused.Stop()
	e.stop()
	return e.failed()
}

// abort ends an engine that was never run, with its sequences and handlers.
func (e *engine) abort() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != engineNew {
		return
	}
	e.state = engineStopped
	e.stop()
	for _, r := range e.registrations {
		r.abort()
	}
}

// finish waits until the store has applied everything that was received. It gives up after
// drainTimeout, because a Lossless consumer may not take anything.
func (e *engine) finish(halt context.CancelFunc, apply *sync.WaitGroup) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		apply.Wait()
		close(done)
	})
	limit := time.NewTimer(drainTimeout)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		halt()
	}
	wait.Wait()
}

// drainTimeout is the maximum time that Run waits, after its context is done, until the
// store has applied everything that was received.
const drainTimeout = 200 * time.Millisecond

// begin reports whether the caller may call run. Only the first caller may.
func (e *engine) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != engineNew {
		return false
	}
	e.state = engineStarts
	return true
}

// end marks the engine as stopped: it accepts no more scopes and handlers.
func (e *engine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = engineStopped
}

// launch starts all handlers, and reconcile, which starts the reflectors.
func (e *engine) launch(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = engineRuns
	e.producers.open(ctx)
	e.consumers.open(ctx)
	for _, r := range e.registrations {
		r.start()
	}
	e.producers.start(e.reconcile) // the handlers have already subscribed
}

// apply moves batches from the queue to the store until the queue is closed and
// empty, or ctx is done.
func (e *engine) apply(ctx context.Context) error {
	for {
		batch, err := e.queue.Get(ctx)
		if err == nil {
			err = e.store.Apply(ctx, batch)
		}
		switch {
		case ctx.Err() != nil || errors.Is(err, delta.ErrClosed):
			return nil
		case err != nil:
			return err
		}
		e.lags.observeStored(batch)
		for i := range batch {
			batch[i].Record.Release() // the store has copied it
		}
	}
}

// notify wakes the callers that wait for a change of the health.
func (e *engine) notify() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.notifyLocked()
}

func (e *engine) notifyLocked() {
	close(e.updated)
	e.updated = make(chan struct{})
}

// fail ends run with an error. Only the first error counts.
func (e *engine) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failure == nil {
		e.failure = err
	}
	e.cancelRun()
}

// failed returns the error of fail.
func (e *engine) failed() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failure
}

// losslessKey is the key of a context value: the context belongs to a Lossless handler of
// the engine.
type losslessKey struct{ engine *engine }

// checkWait returns an error if the caller must not wait for the engine.
func (e *engine) checkWait(ctx context.Context) error {
	if ctx.Value(losslessKey{e}) != nil {
		return ErrWaitInHandler
	}
	e.expectRun()
	return nil
}
