package informer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/store"
)

// fileBound bounds the state in the snapshot file by the acknowledgments of the consumer of
// AtLeastOnce. When the file is due, the consumer marks the snapshot that it has reached; it
// confirms the mark once all events before it are acknowledged. So it keeps two snapshots at
// most, and counts instead of a list of events.
type fileBound struct {
	log    *faultlog.Reporter // reports a file that stays behind
	loaded chan struct{}      // closed if the objects of the file are in the store
	joined chan struct{}      // closed when the consumer has subscribed
	asked  chan struct{}      // one token: the consumer shall mark its snapshot
	moved  chan struct{}      // one token: a mark was confirmed, or the consumer has left

	mu        sync.Mutex
	here      bool // the consumer has subscribed and not left
	pending   bool // a mark was asked for, and is not confirmed
	delivered uint64
	markedAt  uint64          // value of delivered at the last mark
	before    int             // events without an acknowledgment, up to markedAt
	after     int             // the same, after markedAt
	marked    *store.Snapshot // not confirmed; nil if there is no such mark
	confirmed *store.Snapshot // nil if take has returned it
}

func (b *fileBound) init(log *faultlog.Reporter) {
	b.log = log
	b.loaded, b.joined = make(chan struct{}), make(chan struct{})
	b.asked, b.moved = make(chan struct{}, 1), make(chan struct{}, 1)
}

func (b *fileBound) isLoaded() bool { return isClosed(b.loaded) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// join subscribes the consumer. It returns nil if there was a consumer before. The
// file may hold the snapshot of the subscription at once, because a restart delivers all
// objects of the file.
func (b *fileBound) join(s *store.Store) *store.Subscription {
	b.mu.Lock()
	defer b.mu.Unlock()
	if isClosed(b.joined) {
		return nil
	}
	sub := s.Subscribe(store.Lossless)
	b.here, b.confirmed = true, sub.Snapshot()
	close(b.joined)
	return sub
}

// leave ends the bound's progress: nobody acknowledges later changes.
func (b *fileBound) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.here, b.marked = false, nil
	b.signal()
}

func (b *fileBound) signal() {
	select {
	case b.moved <- struct{}{}:
	default:
	}
}

// awaitQuiet is how long await waits before the log says so.
const awaitQuiet = 10 * time.Second

// await waits for the consumer if the store has the objects of the file. The changes since
// then are those that the consumer may not have acknowledged before the restart.
func (b *fileBound) await(ctx context.Context) {
	if !b.isLoaded() {
		return
	}
	quiet := time.AfterFunc(awaitQuiet, func() {
		b.log.See(faultlog.State{Err: errors.New("no consumer has come, so the informer shows the objects of the file"), Remedy: "call controller.Revisions or Informer.AtLeastOnce"})
	})
	defer quiet.Stop()
	select {
	case <-b.joined:
	case <-ctx.Done():
	}
}

// asks returns the channel that asks the consumer to mark its snapshot.
func (b *fileBound) asks() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.asked
}

// ask asks the consumer for a mark, unless one is pending.
func (b *fileBound) ask() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.here || b.pending {
		return
	}
	b.pending = true
	b.asked <- struct{}{} // has room: a token is taken before its mark is confirmed
}

// report logs a consumer that has left, or that has not confirmed the mark before.
func (b *fileBound) report() {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case isClosed(b.joined) && !b.here:
		b.log.See(faultlog.State{Err: errors.New("its consumer ended before the informer"), Remedy: "restart the program"})
	case b.pending:
		b.log.See(faultlog.State{Err: errors.New("its consumer has not acknowledged an event"), Remedy: "acknowledge each event that was handled (Revision.Acknowledge)"})
	}
}

// settle waits until no mark is pending, for a limited time.
func (b *fileBound) settle(limit time.Duration) {
	over := time.NewTimer(limit)
	defer over.Stop()
	for {
		b.mu.Lock()
		pending := b.here && b.pending
		b.mu.Unlock()
		if !pending {
			return
		}
		select {
		case <-b.moved:
		case <-over.C:
			return
		}
	}
}

// deliver counts an event, and returns the function that acknowledges it.
func (b *fileBound) deliver() func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delivered++
	b.after++
	number, done := b.delivered, false
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch {
		case done:
		case number <= b.markedAt:
			b.before--
			b.confirm()
		default:
			b.after--
		}
		done = true
	}
}

// mark sets the snapshot after all events that were delivered.
func (b *fileBound) mark(now *store.Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.marked, b.markedAt = now, b.delivered
	b.before, b.after = b.before+b.after, 0
	b.confirm()
}

// confirm confirms the mark if all events before it are acknowledged. The caller holds
// b.mu.
func (b *fileBound) confirm() {
	if b.before > 0 || b.marked == nil {
		return
	}
	b.confirmed, b.marked, b.pending = b.marked, nil, false
	b.log.See(faultlog.State{})
	b.signal()
}

// take returns the newest confirmed snapshot, once.
func (b *fileBound) take() *store.Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.confirmed
	b.confirmed = nil
	return now
}
