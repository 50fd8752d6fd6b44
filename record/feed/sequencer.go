package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// numberAtOnce bounds how many entries one transaction numbers, and so how long it locks
// the head of the feed.
const numberAtOnce = 2000

// Sequence gives positions to all transitions that were committed before the call. It
// returns how many it numbered itself: another sequencer may number them at the same time.
//
// Recorders and consumers call it. A program that writes the history in another way may
// call it after its commits, so that transitions do not wait for the next reader.
//
// Errors: those of the database.
func Sequence(ctx context.Context, db *sqldb.DB) (numbered int, err error) {
	for {
		n, more, err := sequenceSome(ctx, db)
		if numbered += n; err != nil || !more {
			return numbered, db.Explain(err)
		}
	}
}

// sequenceSome numbers some of the entries that wait. more says that others may wait.
//
// The position is read before the entries. If another sequencer numbers some of them in
// between, it moves the head, and the update of the head finds another position. So no
// entry gets two positions, on any database.
func sequenceSome(ctx context.Context, db *sqldb.DB) (numbered int, more bool, err error) {
	ctx, done := db.Bounded(ctx)
	defer done()
	head, err := model.ReadFeedHead(ctx, db)
	if err != nil {
		return 0, false, err
	}
	waiting, err := model.ReadOutbox(ctx, db, numberAtOnce)
	if err != nil || len(waiting) == 0 {
		return 0, false, err
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error { return number(ctx, tx, head.Position, waiting) })
	switch {
	case errors.Is(err, errOvertaken):
		return 0, true, nil
	case err != nil:
		return 0, false, err
	}
	return len(waiting), len(waiting) == numberAtOnce, nil
}

// number moves entries from the outbox to the feed.
func number(ctx context.Context, tx *sqldb.Tx, head int64, waiting []model.OutboxEntry) error {
	if ours, err := model.AdvanceFeed(ctx, tx, head, head+int64(len(waiting))); err != nil || !ours {
		return errOr(err, errOvertaken)
	}
	if err := model.InsertFeed(ctx, tx, head, waiting, model.Micros(time.Now())); err != nil {
		return err
	}
	ids := make([]int64, len(waiting))
	for i, w := range waiting {
		ids[i] = w.ID
	}
	n, err := model.DeleteOutbox(ctx, tx, ids)
	if err == nil && int(n) != len(ids) {
		err = fmt.Errorf("table feed_outbox: %d of %d rows were deleted by somebody else", len(ids)-int(n), len(ids))
	}
	return err
}

// Sequencer numbers transitions soon after their commits. Create it with NewSequencer.
type Sequencer struct {
	db    *sqldb.DB
	wake  chan struct{}
	fault faultlog.Reporter
}

// NewSequencer returns a sequencer for a database. logger returns where it logs faults.
func NewSequencer(db *sqldb.DB, logger func() *slog.Logger) *Sequencer {
	return &Sequencer{db: db, wake: make(chan struct{}, 1), fault: faultlog.Reporter{
		Fault: "transitions wait for their positions in the feed", Over: "transitions get their positions in the feed", Logger: logger, Attrs: []any{"database", db.String()},
	}}
}

// Wake says that a transaction was committed. It does not block, and any goroutine may
// call it.
func (s *Sequencer) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already, and sees this commit too
	}
}

// pace is how long a sequencer waits between two transactions, so that many small commits
// share one.
const pace = 20 * time.Millisecond

// Run numbers transitions whenever it is woken, until ctx ends, and then those that still
// wait, for lastTry at most. It blocks.
//
// It logs a fault that occurs twice in a row. After a fault it waits for the next commit: a
// database that takes one is there again, and readers number transitions too.
func (s *Sequencer) Run(ctx context.Context) {
	defer s.fault.Stop()
	failed := 0
	for {
		select {
		case <-s.wake:
		case <-ctx.Done():
			s.finish(ctx)
			return
		}
		_, err := Sequence(ctx, s.db)
		switch {
		case ctx.Err() != nil:
			s.Wake() // some may still wait
		case err == nil:
			failed = 0
			s.fault.See(faultlog.State{})
		default:
			if failed++; failed > 1 {
				s.fault.See(faultlog.State{Kind: "database", Err: err})
			}
		}
		sleep(ctx, pace)
	}
}

// lastTry bounds the time after the end of Run's context.
const lastTry = 2 * time.Second

// finish numbers what still waits. A reader does it later if that fails.
func (s *Sequencer) finish(ctx context.Context) {
	select {
	case <-s.wake:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTry)
	defer cancel()
	_, _ = Sequence(ctx, s.db)
}
