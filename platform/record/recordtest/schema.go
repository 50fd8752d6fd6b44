package recordtest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var schemaTests = []test{
	{"an empty database has no steps", emptyDatabase},
	{"migrate applies all steps once", migrateOnce},
	{"one of several migrates", migrateAtOnce},
	{"views show times", viewsShowTimes},
}

// emptyDatabase: reading the steps creates nothing.
func emptyDatabase(t *testing.T, d *database) {
	for range 2 {
		steps, err := d.Migrations(t.Context())
		if err != nil || len(steps) == 0 {
			t.Fatalf("%+v, %v", steps, err)
		}
		for _, s := range steps {
			if s.Applied || s.Newer {
				t.Errorf("%+v", s)
			}
		}
	}
}

func migrateOnce(t *testing.T, d *database) {
	applied, err := d.Migrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	steps, err := d.Migrations(t.Context())
	if err != nil || len(steps) != len(applied) {
		t.Fatalf("%+v, %v; applied were %+v", steps, err, applied)
	}
	for i, s := range steps {
		if !s.Applied || s.Name != applied[i].Name || time.Since(s.At).Abs() > time.Hour {
			t.Errorf("%+v", s)
		}
	}
	if applied, err := d.Migrate(t.Context()); err != nil || len(applied) > 0 {
		t.Errorf("again: %+v, %v", applied, err)
	}
}

func migrateAtOnce(t *testing.T, d *database) {
	var all sync.WaitGroup
	var applied atomic.Int64
	for range 4 {
		all.Go(func() {
			steps, err := d.Migrate(t.Context())
			if err != nil {
				t.Error(err)
			}
			applied.Add(int64(len(steps)))
		})
	}
	all.Wait()
	if steps, err := d.Migrations(t.Context()); err != nil || int(applied.Load()) != len(steps) {
		t.Errorf("%d steps were applied, and there are %d: %v", applied.Load(), len(steps), err)
	}
}

// viewsShowTimes: microseconds become a time in the views for people, and 0 becomes NULL.
func viewsShowTimes(t *testing.T, d *database) {
	d.migrate()
	d.createObjects("a")
	for _, statement := range []string{
		"INSERT INTO clusters (uid, name, seen_at) VALUES ('u', 'c', 0)",
		"INSERT INTO resources (api_group, name, kind) VALUES ('', 'pods', 'Pod')",
		"UPDATE objects SET cluster_id = (SELECT MAX(id) FROM clusters), resource_id = (SELECT MAX(id) FROM resources), since = 1772355600000000",
	} {
		d.exec(statement)
	}
	if n := d.number("SELECT COUNT(*) FROM object_times WHERE cluster = 'c' AND resource = 'pods' AND since IS NOT NULL AND deleted_at IS NULL"); n != 1 {
		t.Errorf("%d rows in object_times", n)
	}
	for _, view := range []string{"transition_times", "gap_times"} {
		if n := d.number("SELECT COUNT(*) FROM " + view); n != 0 {
			t.Errorf("%d rows in %s", n, view)
		}
	}
}
