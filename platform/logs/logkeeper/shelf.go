package logkeeper

import (
	"context"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// parcel is a log on its way to the database.
type parcel struct {
	log   joblog.Log
	lines []joblog.Line
	loss  Loss      // "" unless the end of the log is lost
	seen  time.Time // of the event that reported the end; zero if there was none
	bytes int64     // reserved on the shelf

	failures int
	since    time.Time // of the first failure
}

// shelf holds logs until they are stored in the database. Its size is limited: a fetch
// reserves room before it begins. Any goroutine may use it.
type shelf struct {
	store Store
	count *counters
	fault *faultlog.Reporter
	max   int64

	mu      sync.Mutex
	room    chan struct{} // closed when room was given back
	filled  chan struct{} // closed when a parcel was put
	bytes   int64
	parcels []*parcel
	taken   int       // parcels that are being written
	failing time.Time // of the first failure since the last success
	success time.Time // of the last write
}

func newShelf(store Store, max int64, count *counters, fault *faultlog.Reporter) *shelf {
	return &shelf{store: store, count: count, fault: fault, max: max, room: make(chan struct{}), filled: make(chan struct{})}
}

// reserve waits until there is room for a log of n bytes.
//
// Errors: the cause of ctx.
func (s *shelf) reserve(ctx context.Context, n int64) error {
	for {
		room, ok := s.tryReserve(n)
		if ok {
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tryReserve is reserve without waiting. If it returns false, room is closed when the
// caller should try again.
func (s *shelf) tryReserve(n int64) (room <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+n > s.max {
		return s.room, false
	}
	s.bytes += n
	return nil, true
}

// release returns room.
func (s *shelf) release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(n)
}

func (s *shelf) releaseLocked(n int64) {
	s.bytes -= n
	close(s.room)
	s.room = make(chan struct{})
}

// put takes ownership of a parcel for which reserved bytes were reserved.
func (s *shelf) put(p *parcel, reserved int64) {
	p.bytes = min(size(p.lines)+perLog, reserved)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked(reserved - p.bytes)
	s.putLocked(p)
}

func (s *shelf) putLocked(p *parcel) {
	s.parcels = append(s.parcels, p)
	close(s.filled)
	s.filled = make(chan struct{})
}

// take returns the first parcel. If the shelf is empty, it returns nil, and filled is
// closed when a parcel arrives.
func (s *shelf) take() (p *parcel, filled <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parcels) == 0 {
		return nil, s.filled
	}
	p = s.parcels[0]
	s.parcels[0] = nil
	s.parcels = s.parcels[1:]
	s.taken++
	return p, nil
}

// The delay between attempts to write doubles from firstDelay to maxDelay.
const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 5 * time.Second
	// maxFailures is the number of failures of a parcel after which it is given up, if
	// others are written.
	maxFailures = 5
)

// write writes parcels until ctx ends. Several goroutines may run it.
func (s *shelf) write(ctx context.Context) {
	delay := time.Duration(0)
	for {
		if pause.For(ctx, delay) != nil {
			return
		}
		p, filled := s.take()
		if p == nil {
			delay = 0
			select {
			case <-filled:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := s.store.Put(ctx, p.log, p.lines)
		if ctx.Err() != nil && err != nil {
			s.back(p)
			return
		}
		if delay = s.written(p, err, delay); err == nil {
			s.report(p)
		}
	}
}

// drain writes the remaining parcels until all are written, the database refuses one, or
// ctx ends.
func (s *shelf) drain(ctx context.Context) {
	for {
		p, _ := s.take()
		if p == nil {
			return
		}
		if err := s.store.Put(ctx, p.log, p.lines); err != nil {
			s.back(p)
			return
		}
		s.written(p, nil, 0)
		s.report(p)
	}
}

// back puts a parcel at the end.
func (s *shelf) back(p *parcel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	s.putLocked(p)
}

// written processes the outcome of a write, and returns the delay before the next one.
func (s *shelf) written(p *parcel, err error, delay time.Duration) time.Duration {
	now := time.Now()
	if err == nil {
		s.fault.See(faultlog.State{})
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken--
		s.failing, s.success = time.Time{}, now
		s.releaseLocked(p.bytes)
		return 0
	}
	if p.failures++; p.failures == 1 {
		p.since = now
	}
	s.mu.Lock()
	others := s.success.After(p.since)
	s.mu.Unlock()
	if p.failures >= maxFailures && others { // the database accepts other parcels, but not this one
		s.fault.See(faultlog.State{Kind: "refused", Err: err, Attrs: []any{"pod", p.log.Pod, "container", p.log.Container}})
		s.count.lose(Unwritten)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken--
		s.releaseLocked(p.bytes)
		return 0
	}
	s.fault.See(faultlog.State{Kind: "database", Err: err})
	s.back(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing.IsZero() {
		s.failing = now
	}
	return min(max(2*delay, firstDelay), maxDelay)
}

// report counts a parcel that is stored.
func (s *shelf) report(p *parcel) {
	now := time.Now()
	if p.loss != "" {
		s.count.lose(p.loss)
		return
	}
	s.count.change(func(c *Stats) {
		if !p.log.Complete {
			c.Partial++
			return
		}
		c.Kept++
		if !p.seen.IsZero() {
			c.Stored.add(now.Sub(p.seen))
			c.Ended.add(now.Sub(p.log.Ended))
		}
	})
}

// state returns the number and the size of the parcels, and the time since which the
// database refuses them.
func (s *shelf) state() (parcels int, bytes int64, failing time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.parcels) + s.taken, s.bytes, s.failing
}
