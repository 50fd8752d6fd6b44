package clientgo

import (
	"sync"
	"sync/atomic"

	"github.com/vedette-io/vedette/store"
)

// overlay holds the objects that callers wrote into the store of an informer by hand, as
// tests and a few controllers do. A write hides the object of the engine until the engine gets
// another revision of it, as in client-go, where the last writer wins.
type overlay struct {
	used atomic.Bool // false: there were no writes by hand

	mu      sync.RWMutex
	objects map[string]written // by key
}

// written is one object that was written by hand.
type written struct {
	obj  any // nil if it was deleted
	over revision
}

// put hides over, the revision that the engine has now, behind obj; nil hides it
// altogether.
func (o *overlay) put(key string, obj any, over revision) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.objects == nil {
		o.objects = map[string]written{}
	}
	o.objects[key] = written{obj, over}
	o.used.Store(true)
}

// get returns the object written for a key, and whether it still counts.
func (o *overlay) get(key string, engine revision) (obj any, counts bool) {
	if !o.used.Load() {
		return nil, false
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	w, ok := o.objects[key]
	return w.obj, ok && w.over == engine
}

// each calls f for everything that still counts. engine returns the revision of a key.
func (o *overlay) each(engine func(key string) revision, f func(key string, obj any)) {
	if !o.used.Load() {
		return
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	for key, w := range o.objects {
		if w.over == engine(key) {
			f(key, w.obj)
		}
	}
}

// revisionAt returns the revision that a snapshot has for a key, or zero without one.
func revisionAt(now *store.Snapshot, key string) revision {
	e, ok := now.Get(wireKey(key))
	if !ok {
		return revision{}
	}
	return revisionOf(e)
}
