package feed

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// leftFor is how long a Tail leaves a transition without its position to the recorder that
// committed it. Two sequencers at once wait for each other's locks, and one of them in vain.
const leftFor = 500 * time.Millisecond

// Tail looks again and again where the feed ends, for a reader that remembers its position
// itself. Create it with NewTail. One goroutine uses it.
type Tail struct {
	db      *sqldb.DB
	waiting int64     // the oldest entry of the outbox at the last look; 0: none
	since   time.Time // when it was the oldest for the first time
}

// NewTail returns a Tail of the feed of a database.
func NewTail(db *sqldb.DB) *Tail { return &Tail{db: db} }

// Head returns the last position of the feed, for a reader that has reached a position. It is
// one query of a few rows by their keys. Recorders number their transitions. If one waits for
// longer than half a second because its recorder has died, Head numbers it, if it may write.
//
// Errors: ErrExpired and ErrAhead if the feed cannot be read after the position; those of the
// database.
func (t *Tail) Head(ctx context.Context, after Position) (Position, error) {
	e, err := t.read(ctx)
	if err == nil && t.overdue(e.Waiting, time.Now()) {
		if _, err := Sequence(ctx, t.db); err != nil && ctx.Err() != nil {
			return 0, err
		} // a reader without the right to write reads what others have numbered
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

// overdue reports whether the oldest entry that waits is the same since long.
func (t *Tail) overdue(waiting int64, now time.Time) bool {
	if waiting != t.waiting {
		t.waiting, t.since = waiting, now
	}
	if waiting == 0 || now.Sub(t.since) < leftFor {
		return false
	}
	t.since = now // another try later, if this one fails
	return true
}
