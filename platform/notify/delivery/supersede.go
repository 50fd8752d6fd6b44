package delivery

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Supersede ends the unsent deliveries that later ones replace: those of the same lane and
// rule with another key. A delivery that is being sent stays. It returns the number of
// ended deliveries. The caller creates the later ones in the same transaction.
//
// Errors: those of the database.
func Supersede(ctx context.Context, tx *sqldb.Tx, later []Delivery, now time.Time) (superseded int, err error) {
	found := map[int64]string{} // channels by lanes
	var ids []int64
	for i := range later {
		d := &later[i]
		lane := d.Lane
		if lane == 0 {
			lane = LaneOf(d.Object, d.Channel, d.Receiver)
		}
		some, err := selectNumbers(ctx, tx, "SELECT id FROM deliveries WHERE lane = ? AND state IN (?, ?, ?) AND rule_name = ? AND key_hash <> ?",
			lane, int16(Held), int16(Behind), int16(Waiting), cut(d.Rule, maxWord), digestOf("key", d.Key))
		if err != nil {
			return 0, err
		}
		if ids = append(ids, some...); len(some) > 0 {
			found[lane] = d.Channel
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	if _, err := lockChannels(ctx, tx, slices.Collect(maps.Values(found))...); err != nil {
		return 0, err
	}
	slices.Sort(ids)
	changed, err := updateRows(ctx, tx, slices.Compact(ids), "state = ?, next_at = ?, last_error = ?", "state IN (?, ?, ?)",
		int16(Superseded), micros(now), fmt.Sprintf("a later message of the rule replaced it at %s", now.UTC().Format(time.RFC3339)), int16(Held), int16(Behind), int16(Waiting))
	if err != nil {
		return 0, err
	}
	return int(changed), advance(ctx, tx, slices.Collect(maps.Keys(found)), now)
}
