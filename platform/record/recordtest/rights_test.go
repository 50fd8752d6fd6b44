package recordtest_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestRightsAfterUpgrade: a recorder whose user has only the rights of docs/operating.md
// works after another user has migrated, with the old and the new names.
func TestRightsAfterUpgrade(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" {
			continue // does not support users
		}
		t.Run(kind, func(t *testing.T) {
			url := dbtest.Empty(t, kind)
			name := url[strings.LastIndex(url, "/")+1:]
			name, _, _ = strings.Cut(name, "?")
			admin := raw(t, url)
			exec := func(db *sql.DB, statement string) {
				t.Helper()
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatalf("%s failed: %v", statement, err)
				}
			}
			as := func(user string) string {
				scheme, rest, _ := strings.Cut(url, "://")
				_, rest, _ = strings.Cut(rest, "@")
				return scheme + "://" + user + "@" + rest
			}
			migrates, records := "migrates_"+name, "records_"+name
			if dbtest.Family(kind) == "postgres" {
				exec(admin, "CREATE ROLE "+migrates+" LOGIN")
				exec(admin, "CREATE ROLE "+records+" LOGIN")
				exec(admin, fmt.Sprintf("ALTER DATABASE %s OWNER TO %s", name, migrates))
				exec(admin, "ALTER SCHEMA public OWNER TO "+migrates)
			} else {
				exec(admin, "CREATE USER "+migrates)
				exec(admin, "CREATE USER "+records)
				exec(admin, fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, CREATE VIEW, SHOW VIEW ON %s.* TO %s", name, migrates))
				exec(admin, fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE ON %s.* TO %s", name, records))
			}
			owner := raw(t, as(migrates))
			migrated(t, as(migrates))
			if dbtest.Family(kind) == "postgres" {
				exec(owner, "GRANT USAGE ON SCHEMA public TO "+records)
				exec(owner, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "+records)
			}
			upgrade(t, as(migrates))
			recorder := raw(t, as(records))
			keep := map[string]string{"postgres": "ON CONFLICT DO NOTHING", "mariadb": "ON DUPLICATE KEY UPDATE term = term"}[dbtest.Family(kind)]
			for _, table := range []string{"transition_index", "term_hours"} {
				exec(recorder, "INSERT INTO "+table+" (term, hour, object_id) VALUES (1, 2, 3), (4, 5, 6) "+keep)
				exec(recorder, "DELETE FROM "+table+" WHERE term = 4 AND hour = 5 AND object_id = 6")
				exec(recorder, "SELECT COUNT(*) FROM "+table)
			}
			exec(recorder, "INSERT INTO next_rows (name) VALUES ('a')")
			for _, view := range []string{"object_times", "transition_times", "gap_times"} {
				exec(recorder, "SELECT COUNT(*) FROM "+view)
			}
			d, err := sqldb.Read(t.Context(), as(records))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if _, err := d.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
			var n int
			if err := d.QueryRow(t.Context(), "SELECT COUNT(*) FROM schema_compatibility").Scan(&n); err != nil || n == 0 {
				t.Errorf("got %d rows and error %v, want at least one", n, err)
			}
		})
	}
}
