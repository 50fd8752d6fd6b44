package feed

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// leftFor is the time for which a Tail leaves a transition to the sequencer of its
// recorder. Two sequencers at once wait for each other's locks, and one of them fails.
const leftFor = 500 * time.Millisecond

// Tail polls the end of the feed, for a reader that keeps its position itself. Create it
// with NewTail. It belongs to one goroutine.
type Tail struct {
	db      *sqldb.DB
	waiting int64     // oldest entry of the outbox at the last poll; 0: none
	since   time.Time // time when it became the oldest
}

// NewTail returns a Tail of the feed of a database.
func NewTail(db *sqldb.DB) *Tail { return &Tail{db: db} }

// Head returns the last position of the feed, for a reader that has reached a position. It
// runs one query of a few rows by their keys. Recorders assign positions to their
// transitions. If a transition waits for more than half a second because its recorder has
// crashed, Head assigns the position, given write access.
//
// Errors: ErrExpired and ErrAhead if the feed cannot be read after the position; those of
// the database.
func (t *Tail) Head(ctx context.Context, after Position) (Position, error) {
	e, err := t.read(ctx)
	if err == nil && t.overdue(e.Waiting, time.Now()) {
		if _, err := Sequence(ctx, t.db); err != nil && ctx.Err() != nil {
			return 0, err
		} // without write access, rely on the sequencers of others
		e, err = t.read(ctx)
	}
	if err != nil {
		return 0, t.db.Explain(err)
	}
	return Position(e.Position), within(e.FeedHead, int64(after))
}

func (t *Tail) read(ctx context.Context) (model.FeedEnd, error) {
	ctx, done := t.db.Bounded(ctx)
	defer done()
	return model.ReadFeedEnd(ctx, t.db)
}

// overdue reports whether the oldest waiting entry has been the same for too long.
func (t *Tail) overdue(waiting int64, now time.Time) bool {
	if waiting != t.waiting {
		t.waiting, t.since = waiting, now
	}
	if waiting == 0 || now.Sub(t.since) < leftFor {
		return false
	}
	t.since = now // delay the next attempt, in case this one fails
	return true
}
