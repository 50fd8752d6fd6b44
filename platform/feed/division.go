package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// part is the cursor of a partition.
type part struct {
	Partition
	model.FeedCursor
}

// partsOf returns the cursors of the partitions of a name, in the order of their indexes.
// Two replicas that create a cursor at the same time may leave an undivided cursor beside
// the partitions; partsOf ignores it.
func partsOf(ctx context.Context, q sqldb.Querier, name string) (parts []part, err error) {
	all, err := model.FeedCursors(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if base, p := parseCursor(c.Name); base == name {
			parts = append(parts, part{p, c})
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		if a.Of != b.Of {
			return b.Of - a.Of
		}
		return a.Index - b.Index
	})
	if len(parts) > 0 {
		of := parts[0].Of
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.Of != of })
		if len(parts) != of {
			return nil, fmt.Errorf("feed: cursor %q is divided into %d partitions, and has %d of their cursors; remove it with feed.Remove", name, of, len(parts))
		}
	}
	return parts, nil
}

// ErrUneven is returned by Divide if partitions at different positions would have to be
// united.
var ErrUneven = errors.New("the partitions are at different positions")

// Divide divides a cursor into partitions. Running consumers continue with the new
// partitions. Each transition stays read or unread, as it was.
//
// Partitions can be divided further at any time, into a multiple of their number. Any other
// change is possible only when all partitions are at the same position, such as the end of
// the feed, or after Reset.
//
// Errors: ErrUneven; ErrNoCursor; those of the database.
func Divide(ctx context.Context, db *sqldb.DB, name string, partitions int) error {
	if partitions < 1 || partitions > MaxPartitions {
		return fmt.Errorf("feed: cursor %q: %d partitions: want 1 to %d", name, partitions, MaxPartitions)
	}
	ctx, done := db.Bounded(ctx)
	defer done()
	for {
		err := db.Transact(ctx, func(tx *sqldb.Tx) error { return divide(ctx, tx, name, partitions) })
		if !errors.Is(err, errOvertaken) {
			return err
		}
	}
}

// divide replaces the cursors of a name. The token of a deleted cursor excludes a
// transaction that moves it at the same time.
//
// Errors: errOvertaken if another process has changed a cursor.
func divide(ctx context.Context, tx *sqldb.Tx, name string, partitions int) error {
	parts, err := partsOf(ctx, tx, name)
	switch {
	case err != nil:
		return err
	case len(parts) == 0:
		return fmt.Errorf("feed: cursor %q: %w", name, ErrNoCursor)
	case len(parts) == partitions:
		return nil
	}
	even := !slices.ContainsFunc(parts, func(p part) bool { return p.Position != parts[0].Position })
	if !even && partitions%len(parts) != 0 {
		return fmt.Errorf("feed: cursor %q has %d partitions, and %d were asked for: %w; wait until all are at the end of the feed", name, len(parts), partitions, ErrUneven)
	}
	for _, p := range parts {
		if ours, err := model.DeleteFeedCursorAt(ctx, tx, p.FeedCursor.Name, p.Token); err != nil || !ours {
			return errOr(err, errOvertaken)
		}
	}
	if _, err := model.DeleteFeedCursor(ctx, tx, name); err != nil { // left by a replica that created the cursor while another one divided it
		return err
	}
	for i := range partitions {
		c := parts[i%len(parts)].FeedCursor // the hash of an object modulo the new number is i, so modulo the old number it is this one
		c.Name, c.Token, c.Owner = Partition{i, partitions}.cursor(name), c.Token+1, ""
		if err := model.InsertFeedCursor(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}
