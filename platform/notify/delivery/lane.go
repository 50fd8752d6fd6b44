package delivery

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// A lane has at most one delivery that is Waiting or Sending, its front. The others are
// Behind. A claim reads only fronts, so its cost does not depend on the length of lanes.
// Code that changes the front of a lane, or adds to a lane that has a front, must hold the
// row of the channel.

// busyLanes returns the lanes that have an unsent delivery.
func busyLanes(ctx context.Context, q sqldb.Querier, lanes []int64) (map[int64]bool, error) {
	busy := map[int64]bool{}
	for some := range slices.Chunk(lanes, chunk) {
		query := "SELECT l.lane, " + anyOf("?, ?, ?") + " FROM " + numbers("lane", some) + " l"
		err := q.Query(ctx, query, []any{int16(Behind), int16(Waiting), int16(Sending)}, func(rows *sql.Rows) error {
			var lane int64
			var unsent sql.NullInt64
			err := rows.Scan(&lane, &unsent)
			if unsent.Valid {
				busy[lane] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return busy, nil
}

// anyOf returns a subquery for the ID of a delivery of lane l.lane in one of some states.
// With EXISTS, MariaDB would read all lanes.
func anyOf(states string) string {
	return "(SELECT d.id FROM deliveries d WHERE d.lane = l.lane AND d.state IN (" + states + ") LIMIT 1)"
}

// advance makes the first delivery behind a lane's front the new front, if the lane has no
// front. The caller has locked the row of the channel.
func advance(ctx context.Context, tx *sqldb.Tx, lanes []int64, now time.Time) error {
	slices.Sort(lanes)
	var fronts []int64
	for some := range slices.Chunk(slices.Compact(lanes), chunk) {
		query := "SELECT " + anyOf("?, ?") + ", (SELECT b.id FROM deliveries b WHERE b.lane = l.lane AND b.state = ? ORDER BY b.id LIMIT 1) FROM " + numbers("lane", some) + " l"
		err := tx.Query(ctx, query, []any{int16(Waiting), int16(Sending), int16(Behind)}, func(rows *sql.Rows) error {
			var front, next sql.NullInt64
			err := rows.Scan(&front, &next)
			if !front.Valid && next.Valid {
				fronts = append(fronts, next.Int64)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(fronts)
	_, err := updateRows(ctx, tx, fronts, "state = ?, next_at = ?", "state = ?", int16(Waiting), micros(now), int16(Behind))
	return err
}
