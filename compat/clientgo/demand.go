package clientgo

import (
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/store"
)

// demand measures how much is read from an informer. It determines which objects a Packed
// informer keeps decoded in the store. Each object has one form: bytes or decoded.
type demand struct {
	metadata bool         // the objects are metadata
	handlers atomic.Int64 // that read objects
	indexes  atomic.Int64 // whose functions read objects
	large    atomic.Bool  // the store has more than smallStore bytes
	debt     atomic.Int64 // how many more objects were decoded than changed
	all      atomic.Bool  // objects are held decoded
	began    time.Time    // the minute that wantsAll counts; under the lock of sharedObjects
}

const (
	// smallStore is the size of all bodies up to which an object is decoded in the store from
	// its first reader on. Packing would save little, and the decoded objects of the last
	// minute would come on top of the bytes.
	smallStore = 1 << 20
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
func (d *demand) keepsObject(c store.Candidate) bool {
	d.debt.Add(-1)
	if large := c.StoreBytes > smallStore; large != d.large.Load() {
		d.large.Store(large)
	}
	if !c.Packs || d.all.Load() {
		return true
	}
	read := d.handlers.Load()+d.indexes.Load() > 0
	if d.small() {
		return read || c.Decoded
	}
	tiny := tinyBody
	if d.metadata {
		tiny = plainBody
	}
	return read && c.Size <= tiny || c.Size <= smallBody && d.manyRead()
}

// small reports whether the store is small.
func (d *demand) small() bool { return !d.large.Load() }

// manyRead reports whether many handlers read objects.
func (d *demand) manyRead() bool { return d.handlers.Load() >= manyHandlers }

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

// count counts n more handlers, or fewer, if they read objects.
func (d *demand) count(read bool, n int64) {
	if read {
		d.handlers.Add(n)
	}
}
