package retention_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/retention"
)

// TestCompact: rows of coverage that touch are joined. Rows that recorders resume from or
// extend stay.
func TestCompact(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		row := func(resource int, recorder string, from, to int, ago time.Duration) {
			at := now.Add(-ago).UnixMicro()
			d.Exec(fmt.Sprintf("INSERT INTO coverage (cluster_id, resource_id, namespace, selector_hash, recorder, from_version, to_version, base_version, from_at, to_at, ended_at)"+
				" VALUES (1, %d, '', 0, '%s', %d, %d, 0, %d, %d, 0)", resource, recorder, from, to, at-1, at))
		}
		const day = 24 * time.Hour
		row(1, "a", 1, 10, 9*day)
		row(1, "a", 5, 20, 8*day)
		row(1, "b", 15, 30, 7*day) // the last row of its recorder
		row(1, "a", 25, 40, time.Minute)
		row(1, "c", 2, 3, 6*day)   // the last row of its recorder, although another recorder covers it, too
		row(1, "a", 60, 70, 5*day) // touches no other row, and ends last
		row(2, "a", 1, 5, 200*day) // the only row of its scope
		row(3, "a", 1, 5, 200*day) // touches no other row, and is not the last
		row(3, "a", 7, 9, 100*day)
		gap := func(cause string, healed time.Duration) {
			at := int64(0)
			if healed > 0 {
				at = now.Add(-healed).UnixMicro()
			}
			d.Exec(fmt.Sprintf("INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at)"+
				" VALUES (1, 1, '', 0, 'a', '%s', 1, 2, 3, 4, '', %d)", cause, at))
		}
		gap("open", 0)
		gap("long", 100*day)
		gap("lately", day)

		preview, err := retention.PreviewAt(t.Context(), d.DB, retention.Policy{Keep: 90 * day}, now)
		if err != nil || preview.Coverage != 4 {
			t.Errorf("preview: got %v and error %v, want 4 periods of coverage", preview, err)
		}
		done, err := retention.PruneAt(t.Context(), d.DB, retention.Policy{Keep: 90 * day}, now, 10, 10)
		if err != nil || done.Coverage != 4 {
			t.Errorf("prune: got %v and error %v, want 4 periods of coverage", done, err)
		}
		d.Want("SELECT cause FROM gaps ORDER BY id", "open", "lately")
		d.Want("SELECT resource_id, recorder, from_version, to_version FROM coverage ORDER BY id",
			"1 b 1 30", "1 a 25 40", "1 c 2 3", "1 a 60 70", "2 a 1 5", "3 a 7 9")
	})
}
