package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// ErrRunTwice is returned by Run if it was called before.
var ErrRunTwice = errors.New("informer: Run was called twice; an informer runs once")

// ErrShared is returned by Run of an informer of a factory, which runs it.
var ErrShared = errors.New("informer: it belongs to a factory; call the Run of that")

// ErrStopped is returned by what needs an informer that runs or will run.
var ErrStopped = errors.New("informer: it has been stopped")

// engine is an informer without its type: the store, and the reflectors that
// fill it through the queue. Several informers may share one.
type engine struct {
	cfg   Config
	open  func(delta.Scope) (reflector.Source, error)
	store *store.Store
	queue *delta.Queue

	memo    memo
	lags    lags
	decodes atomic.Uint64

	indexing sync.Mutex
	fields   map[string]*store.Index // by path

	mu       sync.Mutex
	members  map[delta.Scope]*member
	state    engineState
	cold     error           // why there was no warm start
	news     chan struct{}   // closed at the next news
	readers  []*Registration // in the order of their registration
	handlers int             // ever registered

	following nursery // reflectors
	reading   nursery // handlers
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

// member is one reflector of an engine.
type member struct {
	scope     delta.Scope
	source    reflector.Source
	reflector *reflector.Reflector
	cancel    context.CancelFunc
	done      chan struct{}
}

func newEngine(cfg Config, group *store.Group, decode func(wire.Record) (any, error), open func(delta.Scope) (reflector.Source, error)) *engine {
	e := &engine{
		cfg: cfg, open: open,
		queue:   delta.NewQueue(cfg.Queue),
		members: map[delta.Scope]*member{},
		news:    make(chan struct{}),
		fields:  map[string]*store.Index{},
	}
	if cfg.Storage != Live {
		decode = nil
	}
	e.store = store.New(store.Config{Backlog: cfg.Backlog, Group: group, Transform: cfg.Transform, Decode: decode})
	e.stopped, e.stop = context.WithCancel(context.Background())
	return e
}

// add makes a reflector for a scope. It is started if the engine runs, else when
// it does.
func (e *engine) add(scope delta.Scope) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == engineStopped {
		return ErrStopped
	}
	for other := range e.members {
		if other.Cluster == scope.Cluster && (other.Namespace == scope.Namespace || other.Namespace == "" || scope.Namespace == "") {
			return fmt.Errorf("informer: %v is followed already, as %v", scope, other)
		}
	}
	src, err := e.open(scope)
	if err != nil {
		return err
	}
	m := &member{scope: scope, source: src, done: make(chan struct{})}
	if err := e.reflect(m, 0); err != nil {
		return err
	}
	e.store.AddScope(scope)
	e.members[scope] = m
	if e.state == engineRuns {
		e.launchLocked(m)
	}
	e.tellLocked()
	return nil
}

// reflect makes the reflector of a member, which goes on at a version or, if that
// is zero, begins with a list.
func (e *engine) reflect(m *member, resume wire.Version) (err error) {
	cfg := e.cfg.Reflector
	cfg.Scope, cfg.Resume, cfg.NeverList = m.scope, resume, false
	m.reflector, err = reflector.New(m.source, e.queue, cfg)
	return err
}

// launchLocked starts a reflector, and passes on the news of its health.
func (e *engine) launchLocked(m *member) {
	ctx := e.following.ctx
	ctx, m.cancel = context.WithCancel(ctx)
	e.following.start(func(context.Context) {
		defer close(m.done)
		if err := m.reflector.Run(ctx); err != nil {
			e.cfg.logger().Error("reflector ended", "scope", m.scope.String(), "err", err)
		}
	})
	e.following.start(func(context.Context) {
		for {
			_, changed := m.reflector.Health()
			e.tell()
			select {
			case <-changed:
			case <-m.done:
				e.tell()
				return
			}
		}
	})
}

// remove ends a reflector, and drops what it brought.
func (e *engine) remove(ctx context.Context, scope delta.Scope) error {
	e.mu.Lock()
	m := e.members[scope]
	delete(e.members, scope)
	state := e.state
	e.mu.Unlock()
	switch {
	case m == nil:
		return fmt.Errorf("informer: %v is not followed", scope)
	case state == engineStopped:
		return ErrStopped
	case m.cancel != nil:
		m.cancel()
		<-m.done
	}
	leave := delta.Delta{Kind: delta.Leave, Scope: scope}
	if state < engineRuns { // nobody empties the queue
		return e.store.Apply(ctx, delta.Batch{leave})
	}
	return e.queue.Put(ctx, leave) // behind all that the reflector has sent
}

// set makes the scopes of a cluster those that are given.
func (e *engine) set(ctx context.Context, cluster string, want []delta.Scope) error {
	e.mu.Lock()
	var gone []delta.Scope
	for scope := range e.members {
		if scope.Cluster == cluster && !slices.Contains(want, scope) {
			gone = append(gone, scope)
		}
	}
	e.mu.Unlock()
	for _, scope := range gone {
		if err := e.remove(ctx, scope); err != nil {
			return err
		}
	}
	for _, scope := range want {
		e.mu.Lock()
		_, there := e.members[scope]
		e.mu.Unlock()
		if there {
			continue
		}
		if err := e.add(scope); err != nil {
			return err
		}
	}
	return nil
}

// run follows the clusters until ctx is done.
func (e *engine) run(ctx context.Context) error {
	if err := e.begin(); err != nil {
		return err
	}
	e.loadFile()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	applying, halt := context.WithCancel(context.WithoutCancel(ctx))
	defer halt()
	var apply sync.WaitGroup
	apply.Go(func() {
		defer cancel()
		failed <- e.apply(applying)
	})
	launched := e.launch(ctx)
	if launched != nil {
		cancel()
	}
	saved := e.keepFile(ctx)
	<-ctx.Done()
	e.end()
	e.following.join()
	e.queue.Close() // what is in it is still applied
	e.finish(halt, &apply)
	<-saved
	e.reading.join()
	e.saveFile()
	e.stop()
	return errors.Join(launched, <-failed)
}

// abort ends an engine that was never run.
func (e *engine) abort() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == engineNew {
		e.state = engineStopped
		e.stop()
	}
}

// finish waits until what was received has been applied, unless a consumer that
// takes nothing holds it up.
func (e *engine) finish(halt context.CancelFunc, apply *sync.WaitGroup) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		apply.Wait()
		close(done)
	})
	patience := time.NewTimer(stopPatience)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
		halt()
	}
	wait.Wait()
}

// stopPatience is how long Run waits, once its context is done, for consumers to
// let it apply what had been received.
const stopPatience = 200 * time.Millisecond

func (e *engine) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != engineNew {
		return ErrRunTwice
	}
	e.state = engineStarts
	return nil
}

// end takes no more scopes and handlers.
func (e *engine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = engineStopped
}

// launch starts all reflectors and handlers.
func (e *engine) launch(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.members {
		// Once more, as a file may have moved the store. Only now: a scope that is
		// added later may still have objects of an earlier life, about to be dropped.
		if err := e.reflect(m, e.store.Snapshot().Reached(m.scope)); err != nil {
			return err
		}
	}
	e.state = engineRuns
	e.following.open(ctx)
	e.reading.open(ctx)
	for _, m := range e.members {
		e.launchLocked(m)
	}
	for _, r := range e.readers {
		e.reading.start(r.run)
	}
	return nil
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
		e.lags.stored(batch)
		for i := range batch {
			batch[i].Record.Release() // the store keeps nothing of it
		}
	}
}

// tell tells those who wait for news.
func (e *engine) tell() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tellLocked()
}

func (e *engine) tellLocked() {
	close(e.news)
	e.news = make(chan struct{})
}
