package recordtest_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestMigrateAfterInterruption: wherever a migrating process ends, the next one brings the
// schema to the same state.
func TestMigrateAfterInterruption(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		migrated(t, url)
		upgrade(t, url)
		want := schemaOf(t, raw(t, url), kind)
		for _, c := range []struct {
			name  string
			begin func(t *testing.T, url string)
		}{
			{"step 2", func(t *testing.T, url string) {
				migrated(t, url)
				if _, err := raw(t, url).ExecContext(t.Context(), "INSERT INTO transition_index (term, hour, object_id) VALUES (1, 2, 3)"); err != nil {
					t.Fatal(err)
				}
			}},
			{"all steps", func(*testing.T, string) {}},
		} {
			interrupt := func(t *testing.T, end int, after bool) (changes int) {
				url := dbtest.Empty(t, kind)
				c.begin(t, url)
				calls := &calls{end: end, after: after}
				if err := migrateWith(t, url, calls); calls.ended == (err == nil) {
					t.Fatalf("interrupted %v: got error %v, want one only if it was", calls.ended, err)
				}
				d := openLater(t, url)
				if _, err := d.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				same(t, "object of the schema", schemaOf(t, raw(t, url), kind), want)
				if entries := index(t, d, "term_hours"); c.name == "step 2" && !slices.Equal(entries, []string{"1 2 3"}) {
					t.Errorf("the index has %q", entries)
				}
				return calls.n
			}
			for _, end := range changesOf(t, interrupt(t, 0, false)) {
				for _, after := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/change %d/after %v", c.name, end, after), func(t *testing.T) { interrupt(t, end, after) })
				}
			}
		}
	})
}

// changesOf returns six of n changes at even distances, the first depending on the seed; at full
// size it returns all.
func changesOf(t *testing.T, n int) (all []int) {
	t.Helper()
	cases := min(n, testinput.Size(t, 6, n))
	begin := testinput.Rand(t).IntN(max(1, n/cases))
	for i := range cases {
		all = append(all, begin+i*n/cases+1)
	}
	return all
}

// migrateWith migrates to the later version with a driver that ends the process at some point.
func migrateWith(t *testing.T, url string, c *calls) error {
	t.Helper()
	inner, err := sqldb.DriverOf(url)
	if err != nil {
		t.Fatal(err)
	}
	d, err := sqldb.OpenWith(t.Context(), wrapped{laterVersion{inner}, c}, url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Migrate(t.Context())
	return errors.Join(err, d.Close())
}

// schemaOf returns the names of all tables, views, indexes and triggers.
func schemaOf(t *testing.T, db *sql.DB, kind string) (all []string) {
	t.Helper()
	query := map[string]string{
		"sqlite": "SELECT type || ' ' || name FROM sqlite_master",
		"postgres": "SELECT c.relkind::text || ' ' || c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace" +
			" UNION ALL SELECT 'column ' || table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'",
		"mariadb": "SELECT CONCAT(table_type, ' ', table_name) FROM information_schema.tables WHERE table_schema = DATABASE()" +
			" UNION ALL SELECT CONCAT('index ', table_name, '.', index_name, '.', column_name) FROM information_schema.statistics WHERE table_schema = DATABASE()",
	}[dbtest.Family(kind)]
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if before, _, found := strings.Cut(name, "_id_seq"); found {
			name = before + "_id_seq" // PostgreSQL adds a number to the name if the interrupted transaction, which has the same name, is still ending
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// TestMigrateRefusesForeignTable: a foreign table is never mistaken for a table of an
// interrupted migration.
func TestMigrateRefusesForeignTable(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		db := raw(t, url)
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE resources (id INTEGER)"); err != nil {
			t.Fatal(err)
		}
		d := open(t, url)
		for range 3 {
			if _, err := d.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "resources") {
				t.Fatalf("Migrate: got error %v, want one with %q", err, "resources")
			}
		}
		if _, err := db.ExecContext(t.Context(), "DROP TABLE resources"); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
