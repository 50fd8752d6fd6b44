package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// Start selects the position of a new cursor.
type Start int

const (
	// Oldest is the position before the oldest transition in the feed.
	Oldest Start = iota
	// Now is the position before the first transition that is committed after the cursor is
	// created.
	Now
)

// Cursor is a named reader of the feed.
type Cursor struct {
	Name     string
	Position Position // position that the cursor has reached
	Behind   int64    // number of unread positions
	Owner    string   // process that moved the cursor last
	Created  time.Time
	SeenAt   time.Time // time of the last use by a process, accurate to half a minute
	// Expired means that the cursor was idle for too long. Retention no longer preserves
	// transitions for it.
	Expired   bool
	ExpiredAt time.Time
}

// Cursors returns all cursors, ordered by name.
//
// Errors: those of the database.
func Cursors(ctx context.Context, db *sqldb.DB) ([]Cursor, error) {
	ctx, done := db.Bounded(ctx)
	defer done()
	rows, err := model.FeedCursors(ctx, db)
	if err != nil {
		return nil, db.Explain(err)
	}
	h, err := model.ReadFeedHead(ctx, db)
	if err != nil {
		return nil, db.Explain(err)
	}
	all := make([]Cursor, len(rows))
	for i, r := range rows {
		all[i] = Cursor{
			Name: r.Name, Position: Position(r.Position), Behind: max(0, h.Position-r.Position), Owner: r.Owner,
			Created: model.Time(r.CreatedAt), SeenAt: model.Time(r.SeenAt), Expired: r.ExpiredAt != 0, ExpiredAt: model.Time(r.ExpiredAt),
		}
	}
	return all, nil
}

// Reset moves a cursor, and makes an expired cursor live again. With Now, readers skip the
// unread transitions; with Oldest, readers receive all transitions in the feed again. A
// running consumer continues at the new position.
//
// Errors: ErrNoCursor; those of the database.
func Reset(ctx context.Context, db *sqldb.DB, name string, start Start) error {
	position, err := startAt(ctx, db, start)
	if err != nil {
		return err
	}
	return change(ctx, db, name, func(ctx context.Context, tx *sqldb.Tx) (bool, error) {
		return model.ResetFeedCursor(ctx, tx, name, position, model.Micros(tx.Now()))
	})
}

// Remove removes a cursor. Retention no longer preserves transitions for it. A running
// consumer ends with ErrNoCursor.
//
// Errors: ErrNoCursor; those of the database.
func Remove(ctx context.Context, db *sqldb.DB, name string) error {
	return change(ctx, db, name, func(ctx context.Context, tx *sqldb.Tx) (bool, error) { return model.DeleteFeedCursor(ctx, tx, name) })
}

// change runs f for a cursor in one transaction.
func change(ctx context.Context, db *sqldb.DB, name string, f func(ctx context.Context, tx *sqldb.Tx) (found bool, err error)) error {
	ctx, done := db.Bounded(ctx)
	defer done()
	err := db.Transact(ctx, func(tx *sqldb.Tx) error {
		found, err := f(ctx, tx)
		if err == nil && !found {
			err = fmt.Errorf("feed: cursor %q: %w", name, ErrNoCursor)
		}
		return err
	})
	return err
}

// startAt returns the position before the first transition that a new cursor reads.
func startAt(ctx context.Context, db *sqldb.DB, start Start) (int64, error) {
	h, err := head(ctx, db)
	if start == Now {
		return h.Position, err
	}
	return h.Oldest, err
}

// create creates a cursor unless it exists.
func create(ctx context.Context, db *sqldb.DB, name, owner string, start Start) error {
	position, err := startAt(ctx, db, start)
	if err != nil {
		return err
	}
	ctx, done := db.Bounded(ctx)
	defer done()
	now := model.Micros(db.Now())
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		return model.InsertFeedCursor(ctx, tx, model.FeedCursor{Name: name, Position: position, Owner: owner, CreatedAt: now, SeenAt: now})
	})
}
