package queue

import (
	"container/heap"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// batch is the maximum number of delays that end under one lock.
const batch = 64

// Delays holds items until a time, and then adds them. It is independent of the queue: an
// item may be delayed and waiting at the same time, as in client-go, where programs set a
// deadline with AddAfter and add the item at once after each change.
type Delays[T comparable] struct {
	clock clock.WithTicker
	guard Guard[T]
	add   func(T)

	mu    sync.Mutex
	seq   uint64
	line  line[T]
	items map[T]*delay[T]
	timer *time.Timer // of the real clock
	armed time.Time   // time of the next check; zero if none is scheduled
	runs  bool        // the goroutine of another clock
	ended bool

	wake chan struct{} // to that goroutine
	end  chan struct{}
	work sync.WaitGroup // goroutines that add items
}

// NewDelays returns an empty set of delays. A nil clock is the real one, which
// needs no goroutine.
func NewDelays[T comparable](c clock.WithTicker, add func(T)) *Delays[T] {
	if c == nil {
		c = clock.RealClock{}
	}
	return &Delays[T]{
		clock: c, guard: NewGuard[T](), add: add, items: map[T]*delay[T]{},
		wake: make(chan struct{}, 1), end: make(chan struct{}),
	}
}

// Put delays an item. The earliest of several delays of an item counts.
func (d *Delays[T]) Put(item T, after time.Duration) {
	if !d.guard.Admit(item) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	due := d.clock.Now().Add(after)
	switch at := d.items[item]; {
	case at == nil:
		d.seq++
		at = &delay[T]{item: item, due: due, seq: d.seq}
		d.items[item] = at
		heap.Push(&d.line, at)
	case due.Before(at.due):
		d.seq++
		at.due, at.seq = due, d.seq
		heap.Fix(&d.line, at.index)
	}
	d.arm()
}

// Len returns how many items are delayed.
func (d *Delays[T]) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.line)
}

// Stop drops the delayed items, and returns when no item is being added.
func (d *Delays[T]) Stop() {
	d.mu.Lock()
	if !d.ended {
		d.ended = true
		close(d.end)
		if d.timer != nil {
			d.timer.Stop()
		}
		d.line, d.items = nil, nil
	}
	d.mu.Unlock()
	d.work.Wait()
}

// arm schedules the end of the first delay.
func (d *Delays[T]) arm() {
	if len(d.line) == 0 || !d.armed.IsZero() && !d.line[0].due.Before(d.armed) {
		return
	}
	d.armed = d.line[0].due
	if _, real := d.clock.(clock.RealClock); real {
		if wait := time.Until(d.armed); d.timer == nil {
			d.timer = time.AfterFunc(wait, d.flush)
		} else {
			d.timer.Reset(wait)
		}
		return
	}
	if !d.runs {
		d.runs = true
		d.work.Go(d.run)
	}
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// flush adds the due items. The timer or run calls it.
func (d *Delays[T]) flush() {
	for {
		d.mu.Lock()
		some := d.due()
		if len(some) == 0 {
			d.armed = time.Time{}
			if !d.runs { // run checks the first delay itself
				d.arm()
			}
			d.mu.Unlock()
			return
		}
		d.work.Add(1) // Stop has not begun, or there would be no items
		d.mu.Unlock()
		for _, item := range some {
			d.add(item)
		}
		d.work.Done()
	}
}

// due removes and returns items whose delay is over.
func (d *Delays[T]) due() (some []T) {
	now := d.clock.Now()
	for len(d.line) > 0 && len(some) < batch && !d.line[0].due.After(now) {
		item := heap.Pop(&d.line).(*delay[T]).item
		delete(d.items, item)
		some = append(some, item)
	}
	return some
}

// run waits with an injected clock.
func (d *Delays[T]) run() {
	for {
		timer := d.timerOther()
		var fired <-chan time.Time
		if timer != nil {
			fired = timer.C()
		}
		select {
		case <-fired:
		case <-d.wake:
		case <-d.end:
		}
		if timer != nil {
			timer.Stop()
		}
		select {
		case <-d.end:
			return
		default:
		}
		d.flush()
	}
}

// timerOther returns a timer for the first delay, or nil without a delay. A clock
// that is stepped between the two looks at it would make the timer late, so they
// are repeated; a clock that runs is late by the time between them.
func (d *Delays[T]) timerOther() clock.Timer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.line) == 0 {
		return nil
	}
	d.armed = d.line[0].due
	for tries := 0; ; tries++ {
		now := d.clock.Now()
		timer := d.clock.NewTimer(d.armed.Sub(now))
		if tries == 3 || d.clock.Now().Equal(now) {
			return timer
		}
		timer.Stop()
	}
}
