package clientgo

import (
	"context"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/vedette-io/vedette/store"
)

// delivery is an event with its objects.
type delivery struct {
	change   store.Change
	old, obj any
	ok       bool // it is wanted, and could be decoded
}

// object is the type parameter of the engine: the real type is known at run time only,
// so the engine decodes nothing.
type object struct{}

// KeyHandlerFuncs is a cache.ResourceEventHandler that gets names instead of objects,
// for handlers that only add a key to a workqueue. With an informer of this package it
// decodes nothing. Functions that are nil are left out.
type KeyHandlerFuncs struct {
	AddFunc    func(name cache.ObjectName, isInInitialList bool)
	UpdateFunc func(name cache.ObjectName)
	DeleteFunc func(name cache.ObjectName)
}

// OnAdd implements cache.ResourceEventHandler.
func (k KeyHandlerFuncs) OnAdd(obj any, isInInitialList bool) {
	if name, err := cache.DeletionHandlingObjectToName(obj); err == nil && k.AddFunc != nil {
		k.AddFunc(name, isInInitialList)
	}
}

// OnUpdate implements cache.ResourceEventHandler.
func (k KeyHandlerFuncs) OnUpdate(_, obj any) {
	if name, err := cache.DeletionHandlingObjectToName(obj); err == nil && k.UpdateFunc != nil {
		k.UpdateFunc(name)
	}
}

// OnDelete implements cache.ResourceEventHandler.
func (k KeyHandlerFuncs) OnDelete(obj any) {
	if name, err := cache.DeletionHandlingObjectToName(obj); err == nil && k.DeleteFunc != nil {
		k.DeleteFunc(name)
	}
}

// receiver calls a handler of client-go for the changes of a store.
type receiver struct {
	shared  *sharedObjects
	invalid func(error) // gets what cannot be decoded
	handler cache.ResourceEventHandler
	wants   wants
	keys    *KeyHandlerFuncs // nil for handlers that take objects
	waiter  waiter
	logger  *klog.Logger // gets panics; nil for that of the informer
}

// wants are the kinds of events that a handler uses. Other events need no object.
type wants struct{ adds, updates, deletes bool }

func newReceiver(h cache.ResourceEventHandler, shared *sharedObjects, invalid func(error)) *receiver {
	r := &receiver{shared: shared, invalid: invalid, handler: h, waiter: waiter{ready: make(chan struct{}, 1)}}
	r.wants, r.keys = wantsOf(h)
	return r
}

// readsUpdates reports whether a handler reads the objects of updates.
func readsUpdates(h cache.ResourceEventHandler) bool {
	wants, keys := wantsOf(h)
	return keys == nil && wants.updates
}

// wantsOf returns the kinds of events that a handler uses, and the handler itself if it
// takes names.
func wantsOf(h cache.ResourceEventHandler) (wants, *KeyHandlerFuncs) {
	all := wants{true, true, true}
	switch h := h.(type) {
	case cache.ResourceEventHandlerFuncs:
		return wants{h.AddFunc != nil, h.UpdateFunc != nil, h.DeleteFunc != nil}, nil
	case *cache.ResourceEventHandlerFuncs:
		return wants{h.AddFunc != nil, h.UpdateFunc != nil, h.DeleteFunc != nil}, nil
	case cache.ResourceEventHandlerDetailedFuncs:
		return wants{h.AddFunc != nil, h.UpdateFunc != nil, h.DeleteFunc != nil}, nil
	case *cache.ResourceEventHandlerDetailedFuncs:
		return wants{h.AddFunc != nil, h.UpdateFunc != nil, h.DeleteFunc != nil}, nil
	case KeyHandlerFuncs:
		return all, &h
	case *KeyHandlerFuncs:
		return all, h
	}
	return all, nil
}

// turn is how many events a handler decodes before the others have theirs; fewer if their
// bodies are long. Their objects are fewer than the recent ones, so that handlers that
// are equally fast find each object decoded by the first of them. The scheduler alone
// prefers those that have just caught up.
const turn = 32

// turn returns how many of some events, one at least, the handler decodes before the
// others have theirs.
func (r *receiver) turn(events []store.Change) int {
	n := min(turn, len(events))
	if r.keys != nil {
		return n
	}
	left := r.shared.turnBytes.Load()
	for i := range n {
		if left -= int64(events[i].Last().Len()); left < 0 {
			return max(i, 1)
		}
	}
	return n
}

// batch calls the handler for changes, one after the other, until ctx is done.
func (r *receiver) batch(ctx context.Context, events []store.Change) error {
	room := make([]delivery, min(turn, len(events)))
	for len(events) > 0 {
		some := events[:r.turn(events)]
		events = events[len(some):]
		ready := room[:len(some)]
		if !r.decode(ctx, some, ready) {
			return nil
		}
		for i := range ready {
			if ctx.Err() != nil {
				return nil // the handler was removed, or the informer ends
			}
			ok := r.one(ctx, &ready[i])
			ready[i] = delivery{}
			if ok {
				continue
			}
			select { // a handler that panics for every object must not fill the log
			case <-time.After(pauseAfterPanic):
			case <-ctx.Done():
			}
		}
	}
	return nil
}

// decode decodes the objects of events that the handler wants. It returns false if ctx is
// done before it is the turn of the handler. No handler is called during a turn, so
// the turn is short.
func (r *receiver) decode(ctx context.Context, events []store.Change, ready []delivery) bool {
	if r.keys != nil {
		for i, ev := range events {
			ready[i] = delivery{change: ev}
			ready[i].ok = !ready[i].change.CameAndWent()
		}
		return true
	}
	r.waiter.at = events[0].Last().Version()
	if !r.shared.turns.take(ctx, &r.waiter) {
		return false
	}
	defer r.shared.turns.give()
	for i, ev := range events {
		ready[i] = delivery{change: ev}
		ready[i].ok = r.objects(&ready[i])
	}
	return true
}

// wanted reports whether the handler uses an event.
func (r *receiver) wanted(c *store.Change) bool {
	switch {
	case c.CameAndWent():
		return false // the handler lagged, and never got the object
	case c.Kind == store.Added:
		return r.wants.adds
	case c.Kind == store.Updated:
		return r.wants.updates
	}
	return r.wants.deletes
}

// objects decodes the objects of an event, and reports whether the handler must be called.
func (r *receiver) objects(t *delivery) bool {
	c := &t.change
	if !r.wanted(c) {
		return false
	}
	var err error
	if c.Kind == store.Updated {
		t.old, t.obj, err = r.shared.update(c.Old, c.New)
	} else {
		t.obj, err = r.shared.entry(c.Last())
	}
	if err != nil {
		r.invalid(err)
	}
	return err == nil
}

// pauseAfterPanic is how long a handler is not called after a panic, as in client-go.
const pauseAfterPanic = time.Second

// one calls the handler for an event. A panic ends the program, unless
// utilruntime.ReallyCrash is false: then one returns false.
func (r *receiver) one(ctx context.Context, t *delivery) (ok bool) {
	if r.logger != nil {
		ctx = klog.NewContext(ctx, *r.logger)
	}
	defer utilruntime.HandleCrashWithContext(ctx)
	if t.ok {
		r.call(t)
	}
	return true
}

// call calls the handler for an event that it wants.
func (r *receiver) call(t *delivery) {
	c := &t.change
	if r.keys != nil {
		r.key(c)
		return
	}
	switch c.Kind {
	case store.Added:
		r.handler.OnAdd(t.obj, c.Cause == store.Initial)
	case store.Updated:
		r.handler.OnUpdate(t.old, t.obj)
	case store.Deleted:
		if c.Missed() {
			t.obj = cache.DeletedFinalStateUnknown{Key: c.Last().Key().String(), Obj: t.obj}
		}
		r.handler.OnDelete(t.obj)
	}
}

// key calls a handler that takes names.
func (r *receiver) key(c *store.Change) {
	key := c.Last().Key()
	name := cache.NewObjectName(key.Namespace, key.Name)
	switch {
	case c.Kind == store.Added && r.keys.AddFunc != nil:
		r.keys.AddFunc(name, c.Cause == store.Initial)
	case c.Kind == store.Updated && r.keys.UpdateFunc != nil:
		r.keys.UpdateFunc(name)
	case c.Kind == store.Deleted && r.keys.DeleteFunc != nil:
		r.keys.DeleteFunc(name)
	}
}
