package retention

import (
	"context"
	"math"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// feedStep is the maximum number of positions of the feed that one transaction deletes.
const feedStep = 2000

// feedPruner removes rows of the feed that no live cursor still needs. It does not remove
// transitions; a step keeps those that a live cursor has not read.
type feedPruner struct {
	db      *sqldb.DB
	policy  *Policy
	now     time.Time
	rows    int
	expired []string // names of cursors
}

// run expires idle cursors, and deletes old rows that all other cursors have read.
func (f *feedPruner) run(ctx context.Context) error {
	if err := f.expire(ctx); err != nil {
		return err
	}
	if f.policy.KeepFeed == Forever {
		return nil
	}
	for failed := 0; ; {
		n, err := f.step(ctx)
		switch {
		case err != nil && failed < 4: // a sequencer was faster, and the database aborts the slower transaction
			failed++
		case err != nil || n == 0:
			return err
		default:
			failed = 0
		}
		f.rows += n
		if err := pause.For(ctx, stepTime); err != nil {
			return err
		}
	}
}

// expire marks the cursors that were idle for too long.
func (f *feedPruner) expire(ctx context.Context) error {
	all, err := model.FeedCursors(ctx, f.db)
	if err != nil {
		return err
	}
	before := ago(f.now, f.policy.CursorIdle)
	for _, c := range all {
		if c.ExpiredAt != 0 || c.SeenAt >= before {
			continue
		}
		err := f.db.Transact(ctx, func(tx *sqldb.Tx) error {
			expired, err := model.ExpireFeedCursor(ctx, tx, c.Name, c.SeenAt, model.Micros(f.now))
			if expired {
				f.expired = append(f.expired, c.Name)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// step deletes the oldest rows, and returns their number.
func (f *feedPruner) step(ctx context.Context) (deleted int, err error) {
	head, err := model.ReadFeedHead(ctx, f.db)
	if err != nil {
		return 0, err
	}
	upTo := min(head.Position, head.Oldest+feedStep)
	cursor, found, err := model.FirstLiveCursor(ctx, f.db, math.MinInt64)
	if err != nil {
		return 0, err
	}
	if found {
		upTo = min(upTo, cursor)
	}
	young, found, err := model.FirstRecordedSince(ctx, f.db, head.Oldest, upTo, ago(f.now, f.policy.KeepFeed))
	if err != nil {
		return 0, err
	}
	if found {
		upTo = young - 1
	}
	if upTo <= head.Oldest {
		return 0, nil
	}
	err = f.db.Transact(ctx, func(tx *sqldb.Tx) error {
		if ours, err := model.ShortenFeed(ctx, tx, head.Oldest, upTo); err != nil || !ours {
			return err
		}
		n, err := model.DeleteFeed(ctx, tx, head.Oldest, upTo)
		deleted = int(n)
		return err
	})
	return deleted, err
}
