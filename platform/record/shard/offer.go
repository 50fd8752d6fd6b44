package shard

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// ErrLost is returned by Lease.Fence, and is the cause of Lease.Context, when this member
// no longer holds the shard.
var ErrLost = errors.New("this recorder no longer holds the shard; another one records it")

// Offer is the readiness of this process to record a shard. Create it with
// Coordinator.Offer.
type Offer struct {
	wake  func() // makes the coordinator compare the offers with the tables
	scope model.Scope
	probe func() Sample
	lapse time.Duration // after which standing is no longer known

	// standing is read under the locks of others, so it needs none; nil: not known yet.
	standing atomic.Pointer[standing]

	mu        sync.Mutex
	shard     int64 // row ID; 0: not stored yet
	lease     *Lease
	granted   chan struct{} // closed when a lease was granted
	withdrawn bool
	rate      rate
}

// Acquire waits until this process holds the shard. The caller must call Lease.Release when
// its work has ended.
//
// Errors: the cause of ctx.
func (o *Offer) Acquire(ctx context.Context) (*Lease, error) {
	for {
		o.mu.Lock()
		lease, granted := o.lease, o.granted
		o.mu.Unlock()
		if lease != nil && lease.ctx.Err() == nil {
			return lease, nil
		}
		if lease != nil { // it ended before anyone had it, so nobody else releases it
			lease.Release()
		}
		select {
		case <-granted:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Withdraw ends the offer. Call it after the lease was released.
func (o *Offer) Withdraw() {
	o.mu.Lock()
	o.withdrawn = true
	o.mu.Unlock()
	o.wake()
}

// Held reports whether this process holds the shard.
func (o *Offer) Held() bool {
	_, holds := o.state()
	return holds
}

// Elsewhere returns nil if another member, or another offer of this process, records the shard
// while this offer does not. The member held the shard, and gave signs of
// life, when this process last read the tables, which is less than a lease ago.
//
// Errors: this process is not a member; no such member is known; the tables could not be read.
func (o *Offer) Elsewhere() error { return o.standing.Load().elsewhere(o.lapse) }

// state returns the row ID of the shard, 0 if it is not stored yet, and whether this offer holds it.
func (o *Offer) state() (shard int64, holds bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.shard, o.lease != nil && o.lease.ctx.Err() == nil
}

// grant begins a lease.
func (o *Offer) grant(member int64) {
	ctx, cancel := context.WithCancelCause(context.Background())
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lease = &Lease{offer: o, shard: o.shard, member: member, ctx: ctx, end: cancel}
	close(o.granted)
	o.granted = make(chan struct{})
}

// end ends the lease, if any.
func (o *Offer) end(cause error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lease != nil {
		o.lease.end(cause)
	}
}

// move ends the lease because the shard moves to another member. It reports whether the
// lease had not ended before. The row follows when the work has ended.
func (o *Offer) move() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lease == nil || o.lease.ctx.Err() != nil {
		return false
	}
	o.lease.end(ErrLost)
	return true
}

// Lease is the right of this process to write the revisions of a shard. It ends when the
// shard moves to another member, or when this member was removed.
type Lease struct {
	offer         *Offer
	shard, member int64
	ctx           context.Context
	end           context.CancelCauseFunc
}

// Context returns a context that also ends, with the cause ErrLost, when the lease does.
func (l *Lease) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(ErrLost) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Fence checks the lease within a transaction. It must be called in each transaction that
// writes revisions, gaps or coverage of the shard.
//
// Without a lease, that is for nil, it returns nil.
//
// Errors: ErrLost; those of the database.
func (l *Lease) Fence(ctx context.Context, tx *sqldb.Tx) error {
	if l == nil {
		return nil
	}
	held, err := model.FenceShard(ctx, tx, l.shard, l.member)
	if err != nil {
		return err
	}
	if !held {
		l.end(ErrLost)
		return ErrLost
	}
	return nil
}

// EndGaps ends the lasting gaps of recorders that no longer hold the shard. Without a
// lease, it does nothing.
func (l *Lease) EndGaps(ctx context.Context, tx *sqldb.Tx) error {
	if l == nil {
		return nil
	}
	return model.EndGapsOfFormerHolders(ctx, tx, l.offer.scope, l.shard, model.Micros(tx.Now()))
}

// Release says that the work under the lease has ended. It may be called once.
func (l *Lease) Release() {
	l.end(ErrLost)
	o := l.offer
	o.mu.Lock()
	if o.lease == l {
		o.lease = nil
	}
	o.mu.Unlock()
	o.wake()
}
