package feed

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

const (
	// pollInterval is the interval at which a consumer polls for transitions. A poll is one
	// query of a few rows by their keys.
	pollInterval = 40 * time.Millisecond
	// yieldInterval is the time for which a consumer yields to a replica that was faster.
	// If that replica crashes, transitions wait for this time.
	yieldInterval = 200 * time.Millisecond
	// touchInterval is the interval at which an idle consumer records that its cursor is in
	// use.
	touchInterval = 30 * time.Second
)

// follower moves one cursor. It belongs to one goroutine.
type follower struct {
	db          *sqldb.DB
	name, owner string
	start       Start
	partition   Partition
	decided     bool
	batch       int64
	every       time.Duration
	lease       lease
	prepare     func(ctx context.Context, some []Transition) error
	handle      func(ctx context.Context, tx *sqldb.Tx, some []Transition) error
	committed   func() // optional

	exists    bool      // the cursor was found
	token     int64     // last known token of the cursor
	handledAt time.Time // time of the last transaction of any replica; zero: none yet
}

// step handles the next transitions, if any. It returns the time to wait before the next
// step.
//
// Errors: ErrExpired, ErrNoCursor; those of the database and of the functions of the
// consumer.
func (f *follower) step(ctx context.Context) (wait time.Duration, err error) {
	p, err := f.poll(ctx)
	if err != nil {
		return 0, err
	}
	if f.lease.d > 0 {
		if ours, err := f.acquire(ctx, &p); err != nil || !ours {
			return jitter(f.lease.retry()), err
		}
	}
	position, due := p.Cursor.Position, f.every > 0 && time.Since(f.handledAt) >= f.every
	if position == p.Position && !due {
		return pollInterval, f.touch(ctx, &p)
	}
	upTo := min(position+f.batch, p.Position)
	some, err := readRange(ctx, f.db, position, upTo, f.partition, f.decided)
	if err != nil {
		return 0, f.db.Explain(err)
	}
	call := len(some) > 0 || due
	if call && f.prepare != nil {
		if err := f.prepareHeld(ctx, some); err != nil {
			return 0, err
		}
	}
	err = f.advance(ctx, &p, upTo, func(ctx context.Context, tx *sqldb.Tx) error {
		if !call {
			return nil // retention has removed all of them
		}
		return f.handle(ctx, tx, some)
	})
	switch {
	case errors.Is(err, errOvertaken):
		return jitter(yieldInterval), nil
	case err != nil:
		return 0, err
	}
	f.token = p.Cursor.Token + 1
	f.lease.extend(f.token)
	if call {
		f.handledAt = time.Now()
		if f.committed != nil {
			f.committed()
		}
	}
	if upTo < p.Position {
		return 0, nil
	}
	return pollInterval, nil
}

// poll reads the state of the feed and of the cursor, and creates the cursor if it does not
// exist.
func (f *follower) poll(ctx context.Context) (model.FeedPoll, error) {
	if !f.exists {
		if err := create(ctx, f.db, f.name, f.owner, f.start); err != nil {
			return model.FeedPoll{}, err
		}
	}
	p, err := f.read(ctx)
	if err == nil && p.Waits {
		if _, err = Sequence(ctx, f.db); err == nil {
			p, err = f.read(ctx)
		}
	}
	if err != nil {
		return p, err
	}
	if f.exists && f.token != p.Cursor.Token {
		f.handledAt = time.Now() // another replica handled transitions
	}
	f.exists, f.token = true, p.Cursor.Token
	if c := &p.Cursor; c.Position < p.Oldest && c.Token == 0 {
		c.Position = p.Oldest // retention ran before the first transaction of a new cursor
	}
	return p, f.usable(&p)
}

// read reads the state of the feed and of the cursor.
func (f *follower) read(ctx context.Context) (model.FeedPoll, error) {
	ctx, done := f.db.Bounded(ctx)
	defer done()
	p, err := model.PollFeed(ctx, f.db, f.name)
	if errors.Is(err, sql.ErrNoRows) {
		return p, fmt.Errorf("feed: cursor %q: %w: it was removed", f.name, ErrNoCursor)
	}
	return p, f.db.Explain(err)
}

// usable returns an error if the cursor cannot continue.
func (f *follower) usable(p *model.FeedPoll) error {
	const remedy = "move it with feed.Reset, or remove it with feed.Remove"
	switch {
	case p.Cursor.ExpiredAt != 0:
		return fmt.Errorf("feed: cursor %q: %w: it was unused from %v to %v, so unread transitions may have been removed; %s", f.name, ErrExpired,
			model.Time(p.Cursor.SeenAt).UTC(), model.Time(p.Cursor.ExpiredAt).UTC(), remedy)
	case p.Cursor.Position < p.Oldest:
		return fmt.Errorf("feed: cursor %q: %w: it is at position %d, and the feed begins after position %d; %s", f.name, ErrExpired, p.Cursor.Position, p.Oldest, remedy)
	case p.Cursor.Position > p.Position:
		return fmt.Errorf("feed: cursor %q at position %d: %w, position %d; %s", f.name, p.Cursor.Position, ErrAhead, p.Position, remedy)
	}
	return nil
}

// advance moves the cursor, and calls handle in the same transaction. It updates the cursor
// first: a slower replica waits for that update, and then finds a different token.
//
// Errors: errOvertaken if another replica was faster; those of handle and the database.
func (f *follower) advance(ctx context.Context, p *model.FeedPoll, upTo int64, handle func(ctx context.Context, tx *sqldb.Tx) error) error {
	ctx, done := f.db.Bounded(ctx)
	defer done()
	c := model.FeedCursor{Name: f.name, Position: upTo, Token: p.Cursor.Token, Owner: f.owner, SeenAt: model.Micros(f.db.Now())}
	return f.db.Transact(ctx, func(tx *sqldb.Tx) error {
		if ours, err := model.AdvanceFeedCursor(ctx, tx, c); err != nil || !ours {
			return errOr(err, errOvertaken)
		}
		return handle(ctx, tx)
	})
}

// touch records that the cursor is in use, if the last record is old.
func (f *follower) touch(ctx context.Context, p *model.FeedPoll) error {
	now := f.db.Now()
	if now.Sub(model.Time(p.Cursor.SeenAt)).Abs() < touchInterval {
		return nil
	}
	ctx, done := f.db.Bounded(ctx)
	defer done()
	return f.db.Transact(ctx, func(tx *sqldb.Tx) error { return model.TouchFeedCursor(ctx, tx, f.name, model.Micros(now)) })
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
				switch ours, err := f.renew(renewing, token); {
				case err == nil && ours:
					f.lease.renewed(token, asked)
				case err == nil:
					f.lease.overtaken(token)
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
