package record_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/record"
)

// open opens an empty database with two clusters and three types.
func open(t *testing.T, url string) *record.Database {
	t.Helper()
	d, err := record.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"INSERT INTO clusters (uid, name, seen_at) VALUES ('uid-a', 'a', 0), ('uid-b', 'b', 0)",
		"INSERT INTO resources (api_group, name, kind) VALUES ('', 'pods', 'Pod'), ('batch', 'jobs', 'Job'), ('batch.volcano.sh', 'jobs', 'Job')",
	} {
		if _, err := d.SQL().ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

var begin = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
