package clientgo

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
)

// registration is a handler of an Informer. It is created before the informer that calls
// the handler is determined, so it is bound later.
type registration struct {
	owner   any // the Informer
	handler cache.ResourceEventHandler
	options cache.HandlerOptions
	resync  time.Duration

	synced chan struct{} // closed when the handler got the first list
	ended  chan struct{} // closed when the handler is no longer called
	once   sync.Once     // closes ended

	mu      sync.Mutex
	removed bool
	remove  func() // nil until it is bound
}

var _ interface {
	cache.ResourceEventHandlerRegistration
	ShutdownChan() <-chan struct{}
} = (*registration)(nil)

func newRegistration(owner any, h cache.ResourceEventHandler, options cache.HandlerOptions, resync time.Duration) *registration {
	return &registration{owner: owner, handler: h, options: options, resync: resync, synced: make(chan struct{}), ended: make(chan struct{})}
}

// HasSynced implements cache.ResourceEventHandlerRegistration.
func (r *registration) HasSynced() bool { return closed(r.synced) }

// HasSyncedChecker implements cache.ResourceEventHandlerRegistration.
func (r *registration) HasSyncedChecker() cache.DoneChecker {
	return checker{"event handler", r.synced}
}

// ShutdownChan returns a channel that is closed when the handler is no longer called:
// cache.ShutDownEventHandler waits for it.
func (r *registration) ShutdownChan() <-chan struct{} { return r.ended }

// end records that the handler is no longer called.
func (r *registration) end() { r.once.Do(func() { close(r.ended) }) }

// drop removes the handler. It does not wait for a call that runs.
func (r *registration) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.removed {
		return
	}
	r.removed = true
	if r.remove != nil {
		r.remove()
	} else {
		r.end()
	}
}

// bind makes remove the way to remove the handler. It returns false if the handler was
// removed before.
func (r *registration) bind(remove func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remove = remove
	return !r.removed
}

// toEngine registers the handler with the engine. The goroutines that it starts with run
// end when the handler does.
func (r *registration) toEngine(e *informer.Informer[object], rec *receiver, run func(func())) error {
	reg, err := e.Handle(informer.Handler[object]{OnChanges: rec.batch}, informer.HandlerConfig{
		Subscription: informer.SubscriptionConfig{Mode: store.EveryChange, Resync: r.resync},
		Panics:       informer.CrashOnPanic,
	})
	if err != nil {
		return err
	}
	if !r.bind(reg.Remove) {
		reg.Remove()
	}
	run(func() {
		select {
		case <-reg.Synced():
			close(r.synced)
		case <-reg.Done():
		}
		<-reg.Done()
		r.end()
	})
	return nil
}

// toStock registers the handler with an informer of client-go.
func (r *registration) toStock(ctx context.Context, inf cache.SharedIndexInformer, run func(func())) error {
	reg, err := inf.AddEventHandlerWithOptions(r.handler, r.options)
	if err != nil {
		return err
	}
	gone := make(chan struct{})
	remove := func() {
		_ = inf.RemoveEventHandler(reg) // it is one of this informer
		close(gone)
	}
	if !r.bind(remove) {
		remove()
	}
	run(func() {
		defer r.end()
		select {
		case <-reg.HasSyncedChecker().Done():
			close(r.synced)
		case <-gone:
		case <-ctx.Done():
		}
		if s, ok := reg.(interface{ ShutdownChan() <-chan struct{} }); ok {
			<-s.ShutdownChan()
			return
		}
		select { // client-go 0.36 has no signal for the handler's return
		case <-gone:
		case <-ctx.Done():
		}
	})
	return nil
}

// checker is a cache.DoneChecker over a channel.
type checker struct {
	name string
	done <-chan struct{}
}

// Name implements cache.DoneChecker.
func (c checker) Name() string { return c.name }

// Done implements cache.DoneChecker.
func (c checker) Done() <-chan struct{} { return c.done }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
