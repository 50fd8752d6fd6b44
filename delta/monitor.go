package delta

import (
	"context"
	"sync"
)

// Defaults of Limits.
const (
	DefaultDeltas = 1024
	DefaultBytes  = 1 << 20
)

// Limits bound a queue. The zero value means the defaults: enough to keep a
// store busy while the next bytes arrive, small against what it holds.
type Limits struct {
	// Deltas is how many deltas it may hold; 0 means DefaultDeltas.
	Deltas int
	// Bytes is how many bytes their bodies may have; 0 means DefaultBytes.
	Bytes int
}

// monitor is what both queues stand on: one lock, one condition that says that
// something was put, taken or closed, and the account of what is held.
type monitor struct {
	limits Limits

	mu      sync.Mutex
	changed sync.Cond
	deltas  int // held, and what they count against Limits.Deltas
	bytes   int // of their bodies
	closed  bool
	synced  chan struct{}
}

func (m *monitor) init(limits Limits) {
	if limits.Deltas <= 0 {
		limits.Deltas = DefaultDeltas
	}
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultBytes
	}
	m.limits = limits
	m.changed.L = &m.mu
	m.synced = make(chan struct{})
}

// roomLocked tells whether a delta of that size may come in. An empty queue
// takes any, or one that is larger than the bound would wait for ever.
func (m *monitor) roomLocked(size int) bool {
	if m.deltas == 0 {
		return true
	}
	return m.deltas < m.limits.Deltas && m.bytes+size <= m.limits.Bytes
}

// waitLocked waits until ready holds or ctx is done. A context that is already
// done is an error even if ready holds, so that a stopped producer stops.
func (m *monitor) waitLocked(ctx context.Context, ready func() bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if ready() {
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changed.Broadcast()
	})
	defer stop()
	for !ready() {
		m.changed.Wait()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (m *monitor) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.changed.Broadcast()
}

// syncLocked closes synced, once.
func (m *monitor) syncLocked() {
	if !m.hasSynced() {
		close(m.synced)
	}
}

func (m *monitor) hasSynced() bool {
	select {
	case <-m.synced:
		return true
	default:
		return false
	}
}
