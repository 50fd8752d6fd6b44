package portal

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// earlierPositions is the number of positions from which browsers may continue after a restart of
// the portal.
const earlierPositions = 5000

// earlier returns the changes of the last positions up to head, and the position after which they
// are complete. The rows come from the index, with the state after each change.
//
// A correction cannot be replayed, because the state before it is unknown. So the changes begin
// after the last correction.
//
// Errors: those of the database. floor is then head.
func earlier(ctx context.Context, db *sqldb.DB, index *jobindex.Index, head feed.Position) (floor int64, all []jobindex.Change, err error) {
	begin := max(0, head-earlierPositions)
	var some []feed.Transition
	for t, err := range feed.Read(ctx, db, begin) {
		switch {
		case err != nil:
			return int64(head), nil, err
		case t.Position > head: // the index reports these itself
		case t.Kind == feed.New:
			some = append(some, t)
			continue
		default:
			begin, some = t.Position, nil
			continue
		}
		break
	}
	last := map[int64]int{} // by object: the index of its last transition
	for i := range some {
		last[some[i].Object.ID] = i
	}
	err = index.View(func(v *jobindex.View) error {
		for i := range some {
			t := &some[i]
			row, ok := v.ByID(t.Object.ID)
			if !ok {
				continue // a pod, or a deleted job
			}
			if last[t.Object.ID] != i {
				row.State, row.Reason, row.Since = t.To, t.Reason, t.Happened
				row.Ended, row.Deleted = time.Time{}, time.Time{}
			}
			all = append(all, jobindex.Change{Position: t.Position, Kind: t.Kind, Before: t.From, New: t.From == "", Row: row, Seen: t.Seen})
		}
		return nil
	})
	return int64(begin), all, err
}
