package clientgo

import (
	"sync/atomic"

	"k8s.io/client-go/tools/cache"
)

// demand is how much is read of an informer. It decides which objects a Packed informer
// keeps decoded, because to pack them costs more than it saves.
type demand struct {
	handlers atomic.Int64 // that read objects
	changes  atomic.Int64 // since the last list of all objects
	listed   atomic.Int64 // of these, how many have objects that the next list will read
}

const (
	// tinyBody is the size of the longest body that costs more to pack and to unpack than
	// client-go spends on the object in all.
	tinyBody = 512
	// manyHandlers is how many handlers share an object that is kept for a body of up to
	// smallBody. They find a packed object decoded by the first of them, but to find it
	// costs each of them more than to be handed it.
	manyHandlers = 8
	smallBody    = 2 << 10
)

// keepsObject implements informer.Config.KeepObject. Where nobody reads objects, bodies
// are kept, since to decode them would be for nothing.
func (d *demand) keepsObject(size int, packs bool) bool {
	if d.changes.Add(1) <= d.listed.Load() {
		return true
	}
	switch n := d.handlers.Load(); {
	case n == 0:
		return false
	case n >= manyHandlers && size <= smallBody:
		return true
	}
	return !packs || size <= tinyBody
}

// list notes that a list of n objects was read, and how many of them had changed since it
// was read before. If most changes were of different objects, the next list will read what
// the next changes bring, and hold it decoded anyway.
func (d *demand) list(again bool, changed, n int) {
	if changes := d.changes.Swap(0); !again || changes > 2*int64(changed) {
		n = 0
	}
	d.listed.Store(int64(n))
}

// noList notes that no list of all objects is kept.
func (d *demand) noList() { d.listed.Store(0) }

// add counts a handler, and remove takes it out again.
func (d *demand) add(h cache.ResourceEventHandler)    { d.count(h, 1) }
func (d *demand) remove(h cache.ResourceEventHandler) { d.count(h, -1) }

func (d *demand) count(h cache.ResourceEventHandler, n int64) {
	if wants, keys := wantsOf(h); keys == nil && wants.updates {
		d.handlers.Add(n)
	}
}
