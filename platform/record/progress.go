package record

import (
	"sync"
	"time"

	"github.com/vedette-io/vedette/delta"
)

// progress is how far a target has written what it received.
type progress struct {
	mu        sync.Mutex
	queue     *delta.QueueOf[item] // nil before the first start
	writing   bool                 // a batch was taken from the queue and is not written yet
	taken     time.Time            // when it was taken
	committed time.Time            // everything received before is committed; zero: nothing was received yet
}

// start records that the writer takes from a new queue.
func (p *progress) start(queue *delta.QueueOf[item]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue, p.writing = queue, false
}

// began records that the writer has taken all that was queued.
func (p *progress) began() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing, p.taken = true, time.Now()
}

// wrote records that the batch is committed.
func (p *progress) wrote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing, p.committed = false, p.taken
}

// idle reports whether everything that was received is committed.
func (p *progress) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idleLocked()
}

func (p *progress) idleLocked() bool { return p.queue != nil && !p.writing && p.queue.Idle() }

// until returns the instant up to which everything that was received is committed.
func (p *progress) until() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.idleLocked() {
		return now
	}
	return p.committed
}
