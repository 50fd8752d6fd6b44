package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// numberAtOnce is the maximum number of entries in one transaction. It limits how long the
// transaction locks the head of the feed.
const numberAtOnce = 2000

// Sequence assigns positions to all transitions that were committed before the call.
// numbered excludes the positions that other sequencers assign at the same time.
//
// Recorders and consumers call it. A program that writes the history by other means may
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

// sequenceSome assigns positions to some of the waiting entries. more reports that others
// may wait.
//
// It reads the head before the entries. If another sequencer numbers some of them in
// between, it moves the head, and the update of the head fails. So no entry gets two
// positions, on any database.
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
	if err := model.InsertFeed(ctx, tx, head, waiting, model.Micros(tx.Now())); err != nil {
		return err
	}
	ids := make([]int64, len(waiting))
	for i, w := range waiting {
		ids[i] = w.ID
	}
	n, err := model.DeleteOutbox(ctx, tx, ids)
	if err == nil && int(n) != len(ids) {
		err = fmt.Errorf("table feed_outbox: %d of %d rows were deleted by another process", len(ids)-int(n), len(ids))
	}
	return err
}

// Sequencer assigns positions to transitions soon after their commits. Create it with
// NewSequencer.
type Sequencer struct {
	db    *sqldb.DB
	wake  chan struct{}
	fault faultlog.Reporter
}

// NewSequencer returns a sequencer for a database. logger returns the logger for faults.
func NewSequencer(db *sqldb.DB, logger func() *slog.Logger) *Sequencer {
	return &Sequencer{db: db, wake: make(chan struct{}, 1), fault: faultlog.Reporter{
		Fault: "cannot assign positions in the feed", Over: "assigning positions in the feed again", Logger: logger, Attrs: []any{"database", db.String()},
	}}
}

// Wake announces a committed transaction. It does not block, and is safe for concurrent
// use.
func (s *Sequencer) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // already awake: this commit is included
	}
}

// pace is the pause of a sequencer between two transactions, so that many small commits
// share one.
const pace = 20 * time.Millisecond

// Run assigns positions after each Wake until ctx ends, and then spends up to lastTry on
// the remaining transitions. It blocks.
//
// It logs a fault that occurs twice in a row. After a fault it waits for the next commit: a
// database that accepts a commit is available again, and readers assign positions, too.
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
		_ = pause.For(ctx, pace)
	}
}

// lastTry limits the time for the remaining transitions after the end of ctx.
const lastTry = 2 * time.Second

// finish assigns positions to the remaining transitions. If that fails, a reader does it
// later.
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
