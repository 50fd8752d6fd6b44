package history_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestWrongStatistics: PostgreSQL reads few rows for a page, although its statistics expect
// half a table for each object.
func TestWrongStatistics(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if dbtest.Family(kind) != "postgres" {
			continue
		}
		url := dbtest.Empty(t, kind)
		createMonth(t, url, 40_000, false)
		db, err := sqldb.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		setRole(t, url, db)
		for _, text := range []string{"ALTER TABLE transitions ALTER COLUMN object_id SET (n_distinct = 2)", "ANALYZE transitions"} {
			if _, err := db.SQL().ExecContext(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		for name, f := range map[string]history.Filter{
			"an owner":           {Owner: history.Owner{Kind: "Job", Name: "large"}},
			"an owner, a state":  {Owner: history.Owner{Kind: "Job", Name: "large"}, States: []job.State{job.Failed}},
			"a label, a type":    {Labels: labels.SelectorFromSet(labels.Set{"team": "team-7"}), Types: []history.Type{{Resource: "pods"}}},
			"a common namespace": {Namespace: "ns-common"},
		} {
			before := countScans(t, db)
			for _, order := range []history.Order{history.NewestFirst, history.OldestFirst} {
				if _, err := history.New(db).ListTransitions(t.Context(), f, history.Paging{Limit: 100, Order: order}); err != nil {
					t.Fatal(err)
				}
			}
			// A server publishes the counts of a session after a second at the earliest.
			var after scans
			patience.Until(t, name+": the server counts a lookup", func() string {
				if after = countScans(t, db); after.lookups == before.lookups {
					return fmt.Sprintf("%+v", after)
				}
				return ""
			})
			if read := after.rows - before.rows; read > 10_000 {
				t.Errorf("%s: the server read %d rows for two pages", name, read)
			}
			t.Logf("%s: %d lookups, %d rows", name, after.lookups-before.lookups, after.rows-before.rows)
		}
	}
}

// scans counts the rows of two tables that a server has read, and its lookups by an index.
type scans struct{ rows, lookups int64 }

func countScans(t *testing.T, db *sqldb.DB) (s scans) {
	t.Helper()
	query := "SELECT SUM(seq_tup_read + COALESCE(idx_tup_fetch, 0)), SUM(idx_scan) FROM pg_stat_user_tables WHERE relname IN ('" + strings.Join(largeTables, "', '") + "')"
	if err := db.QueryRow(t.Context(), query).Scan(&s.rows, &s.lookups); err != nil {
		t.Fatal(err)
	}
	return s
}

// setRole does what `vedette doctor` proposes behind a pooler, whose sessions lack settings. They
// have them when they begin.
func setRole(t *testing.T, url string, db *sqldb.DB) {
	t.Helper()
	missing, err := db.RoleSettings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) == 0 {
		return
	}
	name, _, _ := strings.Cut(url[strings.LastIndex(url, "/")+1:], "?")
	dbtest.Postgres(t).Exec(t, append(missing, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+name+"'")...)
	patience.Until(t, "new sessions behind the pooler", func() string {
		if missing, err := db.RoleSettings(t.Context()); err != nil || len(missing) > 0 {
			return fmt.Sprintf("missing %v, error %v", missing, err)
		}
		return ""
	})
}
