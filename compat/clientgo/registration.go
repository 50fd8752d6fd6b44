package clientgo

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo/internal/synced"
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

	*synced.Mark // the handler got the first list

	ended chan struct{} // closed when the handler is no longer called
	once  sync.Once     // closes ended

	mu      sync.Mutex
	removed bool
	remove  func() // nil until it is bound
}

var _ interface {
	cache.ResourceEventHandlerRegistration
	ShutdownChan() <-chan struct{}
} = (*registration)(nil)

func newRegistration(owner any, h cache.ResourceEventHandler, options cache.HandlerOptions, resync time.Duration) *registration {
	return &registration{owner: owner, handler: h, options: options, resync: resync, Mark: synced.New("event handler"), ended: make(chan struct{})}
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
			r.Set()
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
	ctx, stop := context.WithCancel(ctx)
	remove := func() {
		_ = inf.RemoveEventHandler(reg) // it is one of this informer
		stop()
	}
	if !r.bind(remove) {
		remove()
	}
	run(func() {
		defer r.end()
		defer stop()
		if synced.Wait(ctx, reg) {
			r.Set()
		}
		if s, ok := reg.(interface{ ShutdownChan() <-chan struct{} }); ok {
			<-s.ShutdownChan()
			return
		}
		<-ctx.Done() // before 0.37 client-go has no signal for the handler's return
	})
	return nil
}
