package informer

import (
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/buckets"
)

// LagBounds are the upper bounds of the buckets of a Lag.
var LagBounds = [...]time.Duration{
	100 * time.Microsecond, 300 * time.Microsecond,
	time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond,
	100 * time.Millisecond, 300 * time.Millisecond,
	time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute,
}

// Lag is a distribution of delays since the start of the informer.
type Lag struct {
	// Count is the number of delays, Sum their total, Last the last one, and Max the
	// longest one.
	Count uint64
	Sum   time.Duration
	Last  time.Duration
	Max   time.Duration
	// Buckets counts the delays up to each of LagBounds, and above the one before. The
	// last bucket counts the rest.
	Buckets [len(LagBounds) + 1]uint64
}

// histogram measures a Lag. Any goroutine may use it.
type histogram struct {
	count   atomic.Uint64
	sum     atomic.Int64
	last    atomic.Int64
	max     atomic.Int64
	buckets [len(LagBounds) + 1]atomic.Uint64
}

func (c *histogram) observe(d time.Duration) {
	d = max(d, 0)
	c.count.Add(1)
	c.sum.Add(int64(d))
	c.last.Store(int64(d))
	for {
		most := c.max.Load()
		if int64(d) <= most || c.max.CompareAndSwap(most, int64(d)) {
			break
		}
	}
	c.buckets[buckets.Of(LagBounds[:], d)].Add(1)
}

func (c *histogram) read() Lag {
	l := Lag{Count: c.count.Load(), Sum: time.Duration(c.sum.Load()), Last: time.Duration(c.last.Load()), Max: time.Duration(c.max.Load())}
	for i := range c.buckets {
		l.Buckets[i] = c.buckets[i].Load()
	}
	return l
}

// lags are the delays of one engine.
type lags struct {
	store, handler histogram
	listing        map[delta.Scope]bool // used only by the goroutine of apply
}

// observeStored records that the store shows a batch. It ignores the objects of a list: the
// store shows them once the list is complete, and that delay is no lag.
func (l *lags) observeStored(batch delta.Batch) {
	now := time.Now()
	for i := range batch {
		switch d := &batch[i]; d.Kind {
		case delta.Begin, delta.End, delta.Abandon:
			if l.listing == nil {
				l.listing = map[delta.Scope]bool{}
			}
			l.listing[d.Scope] = d.Kind == delta.Begin
		case delta.Upsert, delta.Delete:
			if !l.listing[d.Scope] {
				l.store.observe(now.Sub(d.Seen))
			}
		}
	}
}
