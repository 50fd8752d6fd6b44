package clientgo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/compat/clientgo/internal/synced"
	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// shared is a cache.SharedIndexInformer on the engine. It is made of an informer of
// client-go that has not started, which holds its settings until it runs, and takes over
// if the engine cannot reach the functions that list and watch.
type shared struct {
	*synced.Mark // the first list is in the store

	parts  *stockParts
	opts   Options
	codec  *codec
	source *tunnel.Source
	index  *indexerSwitch

	engine   atomic.Pointer[informer.Informer[object]] // nil until it runs, and if client-go's does
	refused  atomic.Pointer[string]                    // why it is not accelerated; nil if it is or may be
	began    atomic.Pointer[time.Time]                 // when the engine started; nil before
	receiver func(cache.ResourceEventHandler) *receiver

	demand demand

	mu       sync.Mutex
	phase    phase
	handlers map[*registration]bool
	helpers  sync.WaitGroup // goroutines that follow registrations
	ctx      context.Context
}

// phase is the stage of an informer.
type phase uint8

const (
	phaseNew      phase = iota
	phaseStarting       // Run was called; the informer that does the work is not determined
	phaseRunning
	phaseStopped
)

func newShared(parts *stockParts, opts Options) *shared {
	s := &shared{
		parts: parts, opts: opts, codec: newCodec(parts.example),
		index:    &indexerSwitch{impl: parts.informer.GetIndexer()},
		handlers: map[*registration]bool{},
	}
	s.source = tunnel.NewSource(cache.ToListerWatcherWithContext(parts.lw), s.shape())
	s.Mark = synced.New("informer " + s.source.String())
	s.codec.listed = s.source.Kind
	s.demand.metadata = s.codec.metadata()
	return s
}

// shape says in what form the objects are fetched.
func (s *shared) shape() tunnel.Shape {
	shape := tunnel.Shape{Kind: s.codec.kind, Protobuf: s.codec.protobuf() && (s.codec.builtIn || s.codec.metadata()), Dynamic: s.codec.dynamic(), BuiltIn: s.codec.builtIn}
	if s.codec.metadata() {
		shape.View = kube.Metadata
	}
	return shape
}

// AddEventHandler implements cache.SharedInformer.
func (s *shared) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(h, cache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod implements cache.SharedInformer.
func (s *shared) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(h, cache.HandlerOptions{ResyncPeriod: &resync})
}

// minimumResync is the shortest period of a resync, as in client-go.
const minimumResync = time.Second

// notAdded is the end of the error for a handler that is added too late. Programs compare
// it with client-go's error, so its text is the same.
const notAdded = "was not added to shared informer because it has stopped already"

// AddEventHandlerWithOptions implements cache.SharedInformer.
//
// Errors: an informer that has stopped.
func (s *shared) AddEventHandlerWithOptions(h cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == phaseStopped {
		return nil, fmt.Errorf("handler %T "+notAdded, h)
	}
	resync := s.parts.resync
	if options.ResyncPeriod != nil {
		resync = *options.ResyncPeriod
	}
	if resync > 0 {
		resync = max(resync, minimumResync)
	} else {
		resync = -1 // never
	}
	r := newRegistration(s, h, options, resync)
	if s.phase == phaseRunning {
		if err := s.attachLocked(r); err != nil {
			if s.ctx.Err() != nil {
				return nil, fmt.Errorf("handler %T "+notAdded, h)
			}
			return nil, fmt.Errorf("handler %T was not added: %w", h, err)
		}
	}
	s.handlers[r] = true
	s.demand.count(readsUpdates(h), 1)
	return r, nil
}

// attachLocked passes a handler to the informer that does the work.
func (s *shared) attachLocked(r *registration) error {
	if e := s.engine.Load(); e != nil {
		rec := s.receiver(r.handler)
		rec.logger = r.options.Logger
		return r.toEngine(e, rec, s.helpers.Go)
	}
	return r.toStock(s.ctx, s.parts.informer, s.helpers.Go)
}

// RemoveEventHandler implements cache.SharedInformer. It does not wait for a call that
// runs, so a handler may call it.
//
// Errors: a registration that no informer of this package made.
func (s *shared) RemoveEventHandler(handle cache.ResourceEventHandlerRegistration) error {
	r, ok := handle.(*registration)
	if !ok {
		return fmt.Errorf("remove event handler: a %T is not a registration of this informer", handle)
	}
	if r.owner != s {
		return nil // as in client-go
	}
	s.mu.Lock()
	if s.handlers[r] {
		s.demand.count(readsUpdates(r.handler), -1)
	}
	delete(s.handlers, r)
	s.mu.Unlock()
	r.drop()
	return nil
}

// GetStore implements cache.SharedInformer.
func (s *shared) GetStore() cache.Store { return s.index }

// GetIndexer implements cache.SharedIndexInformer.
func (s *shared) GetIndexer() cache.Indexer { return s.index }

// GetController implements cache.SharedInformer.
func (s *shared) GetController() cache.Controller { return controller{s.Mark, s} }

// AddIndexers implements cache.SharedIndexInformer.
//
// Errors: a name that is taken; an informer that has stopped.
func (s *shared) AddIndexers(more cache.Indexers) error {
	if s.IsStopped() {
		return errors.New("indexers were not added: the informer has stopped")
	}
	return s.index.AddIndexers(more)
}

// Run implements cache.SharedInformer.
func (s *shared) Run(stop <-chan struct{}) { s.RunWithContext(wait.ContextForChannel(stop)) }

// RunWithContext implements cache.SharedInformer. A second call logs a warning and
// returns.
func (s *shared) RunWithContext(ctx context.Context) {
	s.mu.Lock()
	if s.phase != phaseNew {
		s.mu.Unlock()
		s.opts.logger().Warn("client-go adapter: an informer was run twice; the second call has no effect", "resource", s.source.String())
		return
	}
	s.phase, s.ctx = phaseStarting, ctx
	s.mu.Unlock()
	if reason := s.unreachable(ctx); reason != "" {
		s.refused.Store(&reason)
		s.runStock(ctx)
	} else {
		s.runEngine(ctx)
	}
	s.mu.Lock()
	s.phase = phaseStopped
	s.mu.Unlock()
	s.helpers.Wait()
}

// unreachable returns the reason why the byte tunnel cannot be used; "" if it can.
func (s *shared) unreachable(ctx context.Context) string {
	if reason := s.refused.Load(); reason != nil {
		return *reason
	}
	err := s.source.Probe(ctx)
	if err == nil || ctx.Err() != nil {
		return ""
	}
	remedy := "none is needed; the functions work as with client-go"
	if errors.Is(err, tunnel.ErrNotReached) {
		remedy = "make the client from clientgo.Wrap(config)"
	}
	s.opts.logger().Warn("client-go adapter: an informer is not accelerated", "resource", s.source.String(), "reason", err, "remedy", remedy)
	return err.Error()
}

// runStock lets the informer of client-go do the work.
func (s *shared) runStock(ctx context.Context) {
	inf := s.parts.informer
	s.opts.started(*s.refused.Load())
	s.start(func() bool { return synced.Wait(ctx, inf) })
	inf.RunWithContext(ctx)
}

// start attaches the handlers, and sets the mark when the chosen informer is synced, for
// which wait waits.
func (s *shared) start(wait func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = phaseRunning
	s.helpers.Go(func() {
		if wait() {
			s.Set()
		}
	})
	for r := range s.handlers {
		if err := s.attachLocked(r); err != nil {
			r.end() // the informer is stopping
		}
	}
}

// runEngine follows the objects with the engine.
func (s *shared) runEngine(ctx context.Context) {
	see, stop := undecodable(&s.opts, s.source.String())
	defer stop()
	src := newReportingSource(s.source, s.parts)
	e, err := informer.New[object](src, s.config())
	if err != nil {
		reason := err.Error()
		s.opts.logger().Error("client-go adapter: an informer is not accelerated", "resource", s.source.String(), "err", err)
		s.refused.Store(&reason)
		s.runStock(ctx)
		return
	}
	snapshot := func() *store.Snapshot { return e.Snapshot().Records() }
	objects := newSharedObjects(s.codec, snapshot, s.keeper(e), &s.demand)
	s.receiver = func(h cache.ResourceEventHandler) *receiver { return newReceiver(h, objects, see) }
	var kept *keptLists
	if s.opts.Storage == informer.Packed {
		kept = new(keptLists)
	}
	s.index.turn(func(before cache.Indexer) cache.Indexer {
		return newIndexer(before, &indexer{
			snapshot: snapshot,
			add:      e.IndexRecords, shared: objects, invalid: see, kept: kept,
		})
	})
	s.began.Store(ptr.To(time.Now()))
	s.engine.Store(e)
	s.opts.started("")
	s.start(func() bool {
		select {
		case <-e.Synced():
			return true
		case <-ctx.Done():
			return false
		}
	})
	if src.report != nil {
		s.helpers.Go(func() { src.follow(ctx, e.Health) })
	}
	if err := e.Run(ctx); err != nil {
		s.opts.logger().Error("client-go adapter: an informer ended", "resource", s.source.String(), "err", err)
	}
}

// keeper returns the function that keeps a decoded object in the store; nil with Live, whose
// store has all objects.
func (s *shared) keeper(e *informer.Informer[object]) func(store.Entry, any) (any, bool) {
	if s.opts.Storage == informer.Live {
		return nil
	}
	return e.KeepObject
}

// newIndexer completes x with the indexes and the objects of the store that it replaces.
func newIndexer(before cache.Indexer, x *indexer) *indexer {
	x.funcs, x.index = cache.Indexers{}, map[string]*store.Index{}
	_ = x.AddIndexers(before.GetIndexers()) // cannot fail: x has no indexer yet
	for _, obj := range before.List() {
		_ = x.Add(obj) // it has a key: the earlier store accepted it
	}
	return x
}

// config returns the configuration of the engine.
func (s *shared) config() informer.Config {
	cfg := informer.Config{Resource: s.source.String(), Storage: s.opts.Storage, Backlog: s.opts.Backlog, Logger: s.opts.Logger}
	if !s.opts.DropManagedFields {
		cfg.Reflector.Wire.ManagedFields = wire.KeepManagedFields
	}
	transform := s.parts.transform()
	if s.opts.Storage == informer.Live {
		cfg.Decode = s.codec.live(transform)
		return cfg
	}
	if transform != nil {
		cfg.Transform = s.codec.transform(transform)
	}
	cfg.Decode, cfg.KeepObject = s.codec.decode, s.demand.keepsObject
	return cfg
}

// IsStopped implements cache.SharedInformer.
func (s *shared) IsStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase == phaseStopped
}

// LastSyncResourceVersion implements cache.SharedInformer.
func (s *shared) LastSyncResourceVersion() string {
	if s.engine.Load() == nil {
		return s.parts.informer.LastSyncResourceVersion()
	}
	return s.index.LastStoreSyncResourceVersion()
}

// SetWatchErrorHandler implements cache.SharedInformer.
//
// Errors: an informer that has started.
func (s *shared) SetWatchErrorHandler(f cache.WatchErrorHandler) error {
	return s.configure(func(inf cache.SharedIndexInformer) error { return inf.SetWatchErrorHandler(f) })
}

// SetWatchErrorHandlerWithContext implements cache.SharedInformer.
//
// Errors: an informer that has started.
func (s *shared) SetWatchErrorHandlerWithContext(f cache.WatchErrorHandlerWithContext) error {
	return s.configure(func(inf cache.SharedIndexInformer) error { return inf.SetWatchErrorHandlerWithContext(f) })
}

// SetTransform implements cache.SharedInformer. nil removes the function.
//
// Errors: an informer that has started.
func (s *shared) SetTransform(f cache.TransformFunc) error {
	return s.configure(func(inf cache.SharedIndexInformer) error { return inf.SetTransform(f) })
}

// configure changes a setting that must not change once the informer runs.
func (s *shared) configure(change func(cache.SharedIndexInformer) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != phaseNew {
		return errors.New("the informer has already started")
	}
	return change(s.parts.informer)
}

// controller is the result of GetController. It shows the state of an informer, and runs
// nothing.
type controller struct {
	*synced.Mark

	informer *shared
}

// Run implements cache.Controller.
func (controller) Run(<-chan struct{}) {}

// RunWithContext implements cache.Controller.
func (controller) RunWithContext(context.Context) {}

// LastSyncResourceVersion implements cache.Controller.
func (c controller) LastSyncResourceVersion() string { return c.informer.LastSyncResourceVersion() }
