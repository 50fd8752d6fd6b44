package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestViews checks that the views show readable times.
func TestViews(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		writeLives(t, db, map[string][]any{"a": {job.Queued, 0, job.Running, 10}})
		for query, column := range map[string]string{
			"SELECT %s FROM object_times":                                    "since",
			"SELECT %s FROM transition_times t WHERE t.to_state = 'Running'": "happened_at",
		} {
			const want = "2026-03-01 09:10:00"
			if strings.HasPrefix(url, "postgres") {
				column = "to_char(" + column + " AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
			}
			var got string
			if err := db.QueryRow(t.Context(), fmt.Sprintf(query, column)).Scan(&got); err != nil || got[:len(want)] != want {
				t.Errorf("%s: got %q and error %v, want %q", query, got, err, want)
			}
		}
		var n int
		if err := db.QueryRow(t.Context(), "SELECT COUNT(*) FROM gap_times").Scan(&n); err != nil {
			t.Error(err)
		}
		if err := db.QueryRow(t.Context(), "SELECT COUNT(*) FROM object_times WHERE deleted_at IS NULL").Scan(&n); err != nil || n != 1 {
			t.Errorf("got %d objects that are not deleted, %v", n, err)
		}
	})
}
