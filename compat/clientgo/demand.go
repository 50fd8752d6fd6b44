package clientgo

import (
	"sync/atomic"
	"time"
)

// demand measures how much is read from an informer. It determines which objects a Packed
// informer keeps decoded, because packing them costs more than it saves.
type demand struct {
	metadata bool         // the objects are metadata
	handlers atomic.Int64 // that read objects
	indexes  atomic.Int64 // whose functions read objects
	changes  atomic.Int64 // since the last list of all objects
	listed   atomic.Int64 // of these, how many have objects that the next list will read
	debt     atomic.Int64 // how many more objects were decoded than changed
	all      atomic.Bool  // objects are held decoded
	began    time.Time    // the minute that wantsAll counts; under the lock of sharedObjects
}

const (
	// tinyBody is the size of the longest body for which packing and unpacking cost more
	// than client-go spends on the object in total. For metadata it is plainBody, because
	// most of a large body of metadata is managedFields, which need no decoding.
	tinyBody  = 512
	plainBody = 16 << 10
	// manyHandlers is from how many handlers on the objects of the last minute are held:
	// a new revision that shares what it has in common with the old one takes a fifth of
	// the time. They also share objects that are kept for bodies of up to smallBody. They
	// find a packed object decoded by the first of them, but to find it costs each of them
	// more than to be handed it.
	manyHandlers = 8
	smallBody    = 2 << 10
)

// keepsObject implements informer.Config.KeepObject. If no handler and no index reads
// objects, bodies are kept, because decoding them would be wasted. A body that does not
// pack takes as much memory as its object, and the object can be read without a cost.
func (d *demand) keepsObject(size int, packs bool) bool {
	d.debt.Add(-1)
	if d.changes.Add(1) <= d.listed.Load() || d.all.Load() {
		return true
	}
	if !packs {
		return true
	}
	tiny := tinyBody
	if d.metadata {
		tiny = plainBody
	}
	return size <= tiny && d.handlers.Load()+d.indexes.Load() > 0 || size <= smallBody && d.manyRead()
}

// manyRead reports whether many handlers read objects.
func (d *demand) manyRead() bool { return d.handlers.Load() >= manyHandlers }

// list notes that a list of n objects was read, and how many of them had changed since it
// was read before. If most changes were of different objects, the next list will read what
// the next changes bring, and hold it decoded anyway.
func (d *demand) list(again bool, changed, n int) {
	if changes := d.changes.Swap(0); !again || changes > 2*int64(changed) {
		n = 0
	}
	d.listed.Store(int64(n))
}

// decoded records that an object was decoded for its readers.
func (d *demand) decoded() { d.debt.Add(1) }

// wantsAll reports whether all objects must be held decoded. That begins when more objects
// were decoded than have changed, by more than n, the number of all objects, and ends with
// settle. client-go decodes each change once. Decoding all objects once a minute does not
// count, because it costs less than holding them.
func (d *demand) wantsAll(n int, now time.Time) bool {
	minutes := int64(now.Sub(d.began) / time.Minute)
	d.began = d.began.Add(time.Duration(minutes) * time.Minute)
	debt := d.debt.Load()
	if left := max(debt-minutes*int64(n), 0); left != debt {
		debt = d.debt.Add(left - debt)
	}
	if debt > int64(n) {
		d.all.Store(true)
	}
	return d.all.Load()
}

// settle forgets what was decoded.
func (d *demand) settle() {
	d.debt.Store(0)
	d.all.Store(false)
}

// noList notes that no list of all objects is kept.
func (d *demand) noList() { d.listed.Store(0) }

// count counts n more handlers, or fewer, if they read objects.
func (d *demand) count(read bool, n int64) {
	if read {
		d.handlers.Add(n)
	}
}
