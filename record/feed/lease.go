package feed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// errLeaseLost is the cause of the context of Prepare when the lease of the cursor has ended.
var errLeaseLost = errors.New("feed: the lease of the cursor has ended")

// lease is the right of a replica to handle the transitions of a cursor alone. The row of
// the cursor is the lease: its owner, the time when the owner was last seen, and the token,
// which changes with each owner. A replica that was stopped and wakes up finds another
// token, so it moves nothing.
type lease struct {
	d time.Duration // 0: no lease

	mu    sync.Mutex
	held  bool
	token int64                   // token of the cursor under this lease
	until time.Time               // end of the lease by the local monotonic clock
	lost  context.CancelCauseFunc // ends the work that needs the lease; nil: no work
}

// retry returns the time between two attempts to get the lease.
func (l *lease) retry() time.Duration { return min(l.d/4, time.Second) }

// start begins the lease with a token. The lease ends d after asked, the time before the
// row was written.
func (l *lease) start(token int64, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.token, l.until = true, token, asked.Add(l.d)
}

// extend stores the token after a transaction of the holder.
func (l *lease) extend(token int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.token = token
}

// renewed makes the lease last longer, if it is still the one with the token.
func (l *lease) renewed(token int64, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held && l.token == token {
		l.until = asked.Add(l.d)
	}
}

// current returns the token, and whether the lease has not ended.
func (l *lease) current() (token int64, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.token, l.held && time.Now().Before(l.until)
}

// guard makes the end of the lease cancel some work. nil means that the work is done.
func (l *lease) guard(lost context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = lost
}

// check ends the work if the lease has ended.
func (l *lease) check() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil && !time.Now().Before(l.until) {
		l.lost(errLeaseLost)
	}
}

// acquire reports whether this replica holds the cursor, and takes the cursor if nobody
// does. It updates the poll.
func (f *follower) acquire(ctx context.Context, p *model.FeedPoll) (bool, error) {
	token, held := f.lease.current()
	if held && token == p.Cursor.Token {
		return true, nil
	}
	reset := held && p.Cursor.Owner == f.owner // an operator has moved the cursor
	free := reset || p.Cursor.Owner == "" || p.Cursor.Token == 0 || f.db.Now().Sub(model.Time(p.Cursor.SeenAt)) > f.lease.d
	if !free {
		return false, nil
	}
	asked := time.Now()
	err := f.advance(ctx, p, p.Cursor.Position, func(context.Context, *sqldb.Tx) error { return nil })
	if errors.Is(err, errOvertaken) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p.Cursor.Token++
	f.token = p.Cursor.Token
	f.lease.start(p.Cursor.Token, asked)
	return true, nil
}

// prepareHeld calls prepare with a context that ends when the lease does.
func (f *follower) prepareHeld(ctx context.Context, some []Transition) error {
	if f.lease.d == 0 {
		return f.prepare(ctx, some)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f.lease.guard(cancel)
	defer f.lease.guard(nil)
	return f.prepare(ctx, some)
}

// hold renews the lease until the returned function is called, which releases it.
func (f *follower) hold(ctx context.Context) (release func()) {
	renewing, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(f.lease.d / 3)
		defer tick.Stop()
		for {
			select {
			case <-renewing.Done():
				return
			case <-tick.C:
			}
			if token, held := f.lease.current(); held {
				asked := time.Now()
				if ours, err := f.renew(renewing, token); err == nil && ours {
					f.lease.renewed(token, asked)
				}
			}
			f.lease.check()
		}
	})
	return func() {
		cancel()
		work.Wait()
		if token, held := f.lease.current(); held {
			_ = f.release(context.WithoutCancel(ctx), token) // otherwise another replica waits for the lease to end
		}
	}
}

// renew writes that the holder of the cursor is alive. It returns false if the token has
// changed.
func (f *follower) renew(ctx context.Context, token int64) (ours bool, err error) {
	ctx, done := context.WithTimeout(ctx, f.lease.d/3)
	defer done()
	err = f.db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		ours, err = model.RenewFeedCursor(ctx, tx, f.name, token, model.Micros(tx.Now()))
		return err
	})
	return ours, err
}

func (f *follower) release(ctx context.Context, token int64) error {
	ctx, done := context.WithTimeout(ctx, f.lease.d)
	defer done()
	err := f.db.Transact(ctx, func(tx *sqldb.Tx) error { return model.ReleaseFeedCursor(ctx, tx, f.name, token) })
	if err != nil {
		return fmt.Errorf("release of cursor %q: %w", f.name, err)
	}
	return nil
}
