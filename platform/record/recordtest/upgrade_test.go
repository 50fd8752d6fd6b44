package recordtest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/platform/record/recordtest"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// eachKind runs a test with an empty database of each kind.
func eachKind(t *testing.T, test func(t *testing.T, url, kind string)) {
	t.Helper()
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, dbtest.Empty(t, kind), kind) })
	}
}

// open opens a database with this version.
func open(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// migrated opens a database, and brings its schema up to date.
func migrated(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	d := open(t, url)
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// laterVersion is the driver of a later version, whose schema has one more step.
type laterVersion struct{ sqldb.Driver }

func (l laterVersion) Dialect() sqldb.Dialect {
	d := l.Driver.Dialect()
	d.LaterSteps = os.DirFS("testdata/next")
	return d
}

// openLater opens a database with a later version.
func openLater(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	inner, err := sqldb.DriverOf(url)
	if err != nil {
		t.Fatal(err)
	}
	d, err := sqldb.OpenWith(t.Context(), laterVersion{inner}, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// upgrade applies the step of a later version, and no other.
func upgrade(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	d := openLater(t, url)
	applied, err := d.Migrate(t.Context())
	if err != nil || len(applied) != 1 || applied[0].Name != "00002_next.sql" {
		t.Fatalf("got steps %+v and error %v, want 00002_next.sql", applied, err)
	}
	return d
}

// TestUpgradeKeepsHistory: a history is the same before and after an upgrade.
func TestUpgradeKeepsHistory(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		d := migrated(t, url)
		loadHistory(t, raw(t, url), kind)
		want, entries := readAnswers(t), index(t, d, "transition_index")
		compareAnswers(t, d, want)
		stats := askStats(t, d, want.Stats)
		if len(entries) < 400 {
			t.Fatalf("%d index entries", len(entries))
		}
		later := upgrade(t, url)
		if kind == "sqlite" { // there this version reads no rows by the old name of the index
			want.Searches = nil
		}
		compareAnswers(t, d, want)
		if kind != "sqlite" { // some questions have labels
			same(t, "statistic", askStats(t, d, want.Stats), stats)
		}
		same(t, "index entry", index(t, later, "term_hours"), entries)
		if applied, err := later.Migrate(t.Context()); err != nil || len(applied) > 0 {
			t.Errorf("again: %+v, %v", applied, err)
		}
	})
}

// TestVersionBefore: this version reads and writes a database that a later version has upgraded,
// and the later version finds the index entries.
func TestVersionBefore(t *testing.T) {
	eachKind(t, func(t *testing.T, _, kind string) {
		without := map[string]bool{"schema": true, "rows": true, "locks": true, "errors": true, "space": true} // properties of the driver
		if kind == "sqlite" {                                                                                  // there this version reads no rows by the old name of the index
			without["filters select by the index"] = true
		}
		recordtest.RunWithout(t, func(t *testing.T) *sqldb.DB {
			url := dbtest.Empty(t, kind)
			d := migrated(t, url)
			later := upgrade(t, url)
			t.Cleanup(func() { entriesOfTransitions(t, later) })
			return d
		}, without)
	})
}

// entriesOfTransitions checks that each labeled object with transitions has index entries.
func entriesOfTransitions(t *testing.T, d *sqldb.DB) {
	t.Helper()
	const query = "SELECT DISTINCT t.object_id FROM transitions t JOIN labels l ON l.object_id = t.object_id" +
		" WHERE NOT EXISTS (SELECT 1 FROM term_hours h WHERE h.object_id = t.object_id)"
	err := d.Query(context.WithoutCancel(t.Context()), query, nil, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		t.Errorf("the later version finds no index entry of object %d", id)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNewerSchema: a program works on a schema of a later version if the unknown steps are
// compatible with it, and refuses the schema otherwise.
func TestNewerSchema(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		db := raw(t, url)
		d := migrated(t, url)
		steps, err := d.Migrations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		knows := steps[len(steps)-1].Version
		exec := func(format string, args ...any) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), fmt.Sprintf(format, args...)); err != nil {
				t.Fatal(err)
			}
		}
		check := func(works bool) {
			t.Helper()
			_, errs := []error(nil), map[string]error{}
			_, errs["migrate"] = d.Migrate(t.Context())
			_, errs["migrations"] = d.Migrations(t.Context())
			for name, open := range map[string]func() (*sqldb.DB, error){
				"read": func() (*sqldb.DB, error) { return sqldb.Read(t.Context(), url) },
				"inspect": func() (*sqldb.DB, error) {
					d, err := sqldb.Inspect(t.Context(), url)
					if err == nil {
						_, err = d.Migrations(t.Context())
					}
					return d, err
				},
			} {
				d, err := open()
				if errs[name] = err; d != nil {
					_ = d.Close() // it opened
				}
			}
			for name, err := range errs {
				if works && err != nil || !works && !errors.Is(err, sqldb.ErrNewer) {
					t.Errorf("%s: got %v, want it to work: %t", name, err, works)
				}
			}
		}
		check(true)
		value := "1"
		if dbtest.Family(kind) == "postgres" {
			value = "true"
		}
		exec("INSERT INTO vedette_schema (version_id, is_applied) VALUES (%d, %s)", knows+1, value)
		check(false) // compatibility is unspecified
		exec("INSERT INTO schema_compatibility (step, oldest_step) VALUES (%d, %d)", knows+1, knows)
		check(true)
		steps, err = d.Migrations(t.Context())
		if last := steps[len(steps)-1]; err != nil || last.Version != knows+1 || !last.Applied || !last.Newer {
			t.Errorf("got steps %+v and error %v, want the last one newer and applied", steps, err)
		}
		exec("INSERT INTO vedette_schema (version_id, is_applied) VALUES (%d, %s)", knows+2, value)
		exec("INSERT INTO schema_compatibility (step, oldest_step) VALUES (%d, %d)", knows+2, knows+1)
		check(false) // the last step removes names that this program needs
		exec("UPDATE schema_compatibility SET oldest_step = %d WHERE step = %d", knows, knows+2)
		exec("UPDATE schema_compatibility SET oldest_step = %d WHERE step = %d", knows+1, knows+1)
		check(false) // an earlier step counts too
	})
}

// TestUpgradeTogether: of several programs that upgrade a database concurrently, one does
// it, and the history is kept.
func TestUpgradeTogether(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		d := migrated(t, url)
		loadHistory(t, raw(t, url), kind)
		var all sync.WaitGroup
		took := make(chan int, 4)
		for range cap(took) {
			later := openLater(t, url)
			all.Go(func() {
				applied, err := later.Migrate(t.Context())
				if err != nil {
					t.Error(err)
				}
				took <- len(applied)
			})
		}
		all.Wait()
		close(took)
		sum := 0
		for n := range took {
			sum += n
		}
		if sum != 1 {
			t.Errorf("%d steps were applied, want 1", sum)
		}
		want := readAnswers(t)
		if kind == "sqlite" {
			want.Searches = nil
		}
		compareAnswers(t, d, want)
	})
}
