package feed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
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

// Summary returns the cursor with a name. If the cursor is divided, it returns the smallest
// position, the largest number of unread positions, the last use of the most idle partition,
// and the owners of all partitions. It returns false if there is no such cursor.
func Summary(all []Cursor, name string) (sum Cursor, found bool) {
	of := 0
	for _, c := range all {
		if base, p := parseCursor(c.Name); base == name {
			of = max(of, p.Of)
		}
	}
	for _, c := range all {
		if base, p := parseCursor(c.Name); base != name || p.Of != of {
			continue // partsOf explains why there may be cursors of another division
		}
		if !found {
			sum, found = c, true
			sum.Name = name
			continue
		}
		sum.Position, sum.Behind = min(sum.Position, c.Position), max(sum.Behind, c.Behind)
		if c.Created.Before(sum.Created) {
			sum.Created = c.Created
		}
		if c.SeenAt.Before(sum.SeenAt) {
			sum.SeenAt = c.SeenAt
		}
		if c.Expired && !sum.Expired {
			sum.Expired, sum.ExpiredAt = true, c.ExpiredAt
		}
		if c.Owner != "" && !slices.Contains(strings.Split(sum.Owner, ", "), c.Owner) {
			sum.Owner = strings.TrimPrefix(sum.Owner+", "+c.Owner, ", ")
		}
	}
	return sum, found
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

// Reset moves a cursor with all its partitions, and makes an expired cursor live again. With
// Now, readers skip the unread transitions; with Oldest, readers receive all transitions in
// the feed again. A running consumer continues at the new position.
//
// Errors: ErrNoCursor; those of the database.
func Reset(ctx context.Context, db *sqldb.DB, name string, start Start) error {
	position, err := startAt(ctx, db, start)
	if err != nil {
		return err
	}
	return change(ctx, db, name, func(ctx context.Context, tx *sqldb.Tx, cursor string) (bool, error) {
		return model.ResetFeedCursor(ctx, tx, cursor, position, model.Micros(tx.Now()))
	})
}

// Remove removes a cursor with all its partitions. Retention no longer preserves transitions
// for it. A running consumer ends with ErrNoCursor.
//
// Errors: ErrNoCursor; those of the database.
func Remove(ctx context.Context, db *sqldb.DB, name string) error {
	return change(ctx, db, name, model.DeleteFeedCursor)
}

// change runs f for the cursors of a name in one transaction.
func change(ctx context.Context, db *sqldb.DB, name string, f func(ctx context.Context, tx *sqldb.Tx, cursor string) (found bool, err error)) error {
	ctx, done := db.Bounded(ctx)
	defer done()
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		all, err := model.FeedCursors(ctx, tx)
		if err != nil {
			return err
		}
		found := false
		for i := range all {
			if base, _ := parseCursor(all[i].Name); base != name && all[i].Name != name {
				continue
			}
			one, err := f(ctx, tx, all[i].Name)
			if err != nil {
				return err
			}
			found = found || one
		}
		if !found {
			return fmt.Errorf("feed: cursor %q: %w", name, ErrNoCursor)
		}
		return nil
	})
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
//
// Errors: ErrDivided; those of the database.
func create(ctx context.Context, db *sqldb.DB, name, owner string, start Start) error {
	position, err := startAt(ctx, db, start)
	if err != nil {
		return err
	}
	ctx, done := db.Bounded(ctx)
	defer done()
	now := model.Micros(db.Now())
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		parts, err := partsOf(ctx, tx, name)
		if err != nil || len(parts) == 1 {
			return err
		}
		if len(parts) > 1 {
			return fmt.Errorf("feed: cursor %q: %w; use PartitionedConsumer, or feed.Divide to unite them", name, ErrDivided)
		}
		return model.InsertFeedCursor(ctx, tx, model.FeedCursor{Name: name, Position: position, Owner: owner, CreatedAt: now, SeenAt: now})
	})
}
