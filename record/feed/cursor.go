package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// Start says where a cursor begins.
type Start int

const (
	// Oldest begins with the oldest transition that the feed still has.
	Oldest Start = iota
	// Now begins with the first transition that is committed after the cursor is created.
	Now
)

// Cursor is a named reader of the feed.
type Cursor struct {
	Name     string
	Position Position // what it has read
	Behind   int64    // how many positions it has not read
	Owner    string   // which process has moved it last
	Created  time.Time
	SeenAt   time.Time // when a process used it last; accurate to half a minute
	// Expired says that it was idle for too long. Retention does not heed it any more.
	Expired   bool
	ExpiredAt time.Time
}

// Cursors returns all cursors in the order of their names.
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

// Reset moves a cursor, and ends its expiry. From Now, its readers skip what they have not
// read; from Oldest, they read again what they have read. A consumer that runs continues
// from there.
//
// Errors: ErrNoCursor; those of the database.
func Reset(ctx context.Context, db *sqldb.DB, name string, start Start) error {
	position, err := startAt(ctx, db, start)
	if err != nil {
		return err
	}
	return change(ctx, db, name, func(ctx context.Context, tx *sqldb.Tx) (bool, error) {
		return model.ResetFeedCursor(ctx, tx, name, position, model.Micros(time.Now()))
	})
}

// Remove removes a cursor. Retention does not wait for it any more. A consumer that runs
// ends with ErrNoCursor.
//
// Errors: ErrNoCursor; those of the database.
func Remove(ctx context.Context, db *sqldb.DB, name string) error {
	return change(ctx, db, name, func(ctx context.Context, tx *sqldb.Tx) (bool, error) { return model.DeleteFeedCursor(ctx, tx, name) })
}

// change changes a cursor in one transaction.
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

// startAt returns the position before the first transition that a cursor reads.
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
	now := model.Micros(time.Now())
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		return model.InsertFeedCursor(ctx, tx, model.FeedCursor{Name: name, Position: position, Owner: owner, CreatedAt: now, SeenAt: now})
	})
}
