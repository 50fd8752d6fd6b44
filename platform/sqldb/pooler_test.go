package sqldb_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestPooler uses a database through PgBouncer in transaction mode, which gives each
// transaction another session: two users of it take turns with statements, locks and settings.
// `VEDETTE_TEST_DATABASES=pgbouncer` runs the shared suites the same way.
func TestPooler(t *testing.T) {
	if dbtest.Selected("postgres") == "" {
		return
	}
	url := dbtest.PgBouncer(t).Empty(t)
	d := opened(t, url)
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := opened(t, url)
	for range 3 {
		for _, d := range []*sqldb.DB{d, other} {
			if n := number(t, d, "SELECT COUNT(*) FROM objects"); n != 0 {
				t.Errorf("got %v objects, want 0", n)
			}
			transact(t, d, func(tx *sqldb.Tx) error {
				var timeout string
				err := tx.Query(t.Context(), "SELECT current_setting('lock_timeout')", nil, func(rows *sql.Rows) error { return rows.Scan(&timeout) })
				if timeout != "5s" {
					t.Errorf("lock_timeout is %s in a transaction, want 5s", timeout)
				}
				return err
			})
		}
	}
	unlock, ours, err := d.TryLock(t.Context(), "some")
	if err != nil || !ours {
		t.Fatalf("got the lock: %v, error %v; want true", ours, err)
	}
	for range 3 {
		if _, ours, err := other.TryLock(t.Context(), "some"); err != nil || ours {
			t.Fatalf("the other got the lock: %v, error %v; want false", ours, err)
		}
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, ours, err = other.TryLock(t.Context(), "some")
	if err != nil || !ours {
		t.Fatalf("the other got the lock after unlock: %v, error %v; want true", ours, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	missing, err := d.RoleSettings(t.Context())
	if err != nil || len(missing) != 4 || !strings.Contains(strings.Join(missing, " "), "ALTER ROLE CURRENT_USER SET lock_timeout = 5000") {
		t.Errorf("missing settings of the role: got %q, %v, want all four", missing, err)
	}
	direct := opened(t, dbtest.Postgres(t).Empty(t))
	if missing, err := direct.RoleSettings(t.Context()); err != nil || len(missing) != 0 {
		t.Errorf("missing settings without a pooler: got %q, %v", missing, err)
	}
}
