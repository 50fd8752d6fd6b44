package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// engine is an informer without its type: the store, and the reflectors that fill it
// through the queue. Several informers may share an engine.
type engine struct {
	cfg      Config
	identity store.Identity
	// completion is that of all objects that are decoded.
	completion completion
	open       func(*clusterState, delta.Scope) (reflector.Source, error)
	store      *store.Store
	queue      *delta.Queue

	memo    memo
	lags    lags
	idle    idleMonitor
	saving  *faultlog.Reporter // reports faults of the snapshot file
	bound   fileBound
	refused *faultlog.Reporter // reports failures of Transform and of index functions
	decodes atomic.Uint64

	unknownField atomic.Bool // the log has a selected field that answers to writes do not show
	several      bool        // made by Across: a fault of one cluster must not affect the others

	indexing sync.Mutex
	fields   map[string]*store.Index // by path

	mu            sync.Mutex
	spec          spec
	wanted        map[delta.Scope]*listWatch // lists and watches of the spec
	active        map[delta.Scope]*listWatch // lists and watches of the store: the wanted ones and those about to leave
	wakeup        chan struct{}              // one token: the spec has changed, or the list of a successor is complete
	state         engineState
	began         time.Time     // when run was called; set before the producers start
	coldStart     error         // why the snapshot file was not used
	cancelRun     func()        // ends run; set by run
	failure       error         // the error of fail; run returns it
	updated       chan struct{} // closed at the next change of the health
	registrations []registered  // in the order of their registration
	handlers      int           // number of handlers that were ever registered
	sequences     int           // number of Lossless sequences that were ever started
	blockers      []*blocker    // monitors of the consumers of Lossless

	producers taskGroup // reflectors and reconcile
	consumers taskGroup // handlers
	stopped   context.Context
	stop      context.CancelFunc
}

// registered is a handler of the engine.
type registered interface {
	// start starts the handler, and reports whether the engine still runs.
	start() bool
	// abort ends a handler that was never started.
	abort()
	health() HandlerHealth
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
	e.bound.init(e.log("informer: the snapshot file stays at an older state", "informer: the snapshot file follows again", "file", cfg.WarmStart.Path))
	e.refused = e.log("informer: a function of the program failed for an object", "")
	of := store.Config{Backlog: cfg.Backlog, Group: group, Transform: cfg.Transform, Panics: cfg.Panics.ofStore(), Report: func(err error) {
		e.refused.See(faultlog.State{Err: err, Remedy: "correct the function; Stats.Refused (Transform), Stats.Undecoded (Decode, KeepObject) and Stats.Unindexed (index functions) count the failures"})
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

// apply moves batches from the queue to the store until the queue is closed and
// empty, or ctx is done.
func (e *engine) apply(ctx context.Context) error {
	e.bound.await(ctx)
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

// log returns a reporter for one kind of fault of the engine.
func (e *engine) log(fault, over string, attrs ...any) *faultlog.Reporter {
	return &faultlog.Reporter{Fault: fault, Over: over, Logger: e.cfg.logger, Attrs: append([]any{"resource", e.named()}, attrs...)}
}

// named returns the name of the followed type, for people.
func (e *engine) named() string {
	if e.cfg.Resource == "" {
		return "objects"
	}
	return strings.TrimSuffix(e.cfg.Resource, ".") // a built-in type: "Pod.v1."
}

func (e *engine) stateNow() engineState {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// sequenceName returns the name of a new Lossless sequence.
func (e *engine) sequenceName() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sequences++
	return fmt.Sprint("sequence ", e.sequences)
}

// monitor adds the monitor of a Lossless consumer. The caller calls end with the consumer.
func (e *engine) monitor(b *blocker) (end func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.blockers = append(e.blockers, b)
	return func() {
		e.mu.Lock()
		e.blockers = slices.DeleteFunc(e.blockers, func(other *blocker) bool { return other == b })
		e.mu.Unlock()
		b.stop()
	}
}
