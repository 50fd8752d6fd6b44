package joblog_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// listening is a driver that records the statements.
type listening struct {
	sqldb.Driver
	mu         sync.Mutex
	statements map[string]bool
}

func (l *listening) Dialect() sqldb.Dialect {
	d := l.Driver.Dialect()
	rebind := d.Rebind
	d.Rebind = func(statement string) string {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.statements[statement] = true
		if rebind == nil {
			return statement
		}
		return rebind(statement)
	}
	return d
}

func (l *listening) Address(u *url.URL, getenv func(string) string) (sqldb.Address, error) {
	return l.Driver.Address(u, getenv)
}

// values replace the parameters of a statement.
var values = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(uid|container) (=|IN \() ?\?`), "$1 $2 'uid-job-3'"},
	{regexp.MustCompile(`, (namespace|pod|owner_kind|owner_name|job_kind|job_name|node|reason|lost|limited) = \?`), ", $1 = 'x'"},
	{regexp.MustCompile(`fetched_at < \?`), "fetched_at < 1000"},
	{regexp.MustCompile(`namespace = \?`), "namespace = 'x'"},
	{regexp.MustCompile(`LIMIT \?`), "LIMIT 10"},
	{regexp.MustCompile(`, \?\)`), ", '3')"},
	{regexp.MustCompile(`\?`), "3"},
}

// TestPlans: with 20,000 logs, no statement reads all of them, except for the sum over an
// index.
func TestPlans(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			address := dbtest.Empty(t, kind)
			driver, err := sqldb.DriverOf(address)
			if err != nil {
				t.Fatal(err)
			}
			l := &listening{Driver: driver, statements: map[string]bool{}}
			db, err := sqldb.OpenWith(t.Context(), l, address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			d := &database{DB: db, url: address}
			d.fill(t, 20_000)
			l.statements = map[string]bool{}
			d.useAll(t)
			if len(l.statements) < 20 {
				t.Errorf("only %d statements", len(l.statements))
			}
			for s := range l.statements {
				for _, v := range values {
					s = v.pattern.ReplaceAllString(s, v.instead)
				}
				sums := strings.Contains(s, "SUM(") && !strings.Contains(s, "job_uid =")
				if !strings.Contains(s, "kept_log") || sums {
					continue
				}
				if scan := d.scans(t, kind, s); scan != "" {
					t.Errorf("%.300s scans a table, want an index:\n%s", s, scan)
				}
			}
		})
	}
}

// fill inserts logs of many jobs.
func (d *database) fill(t *testing.T, n int) {
	t.Helper()
	columns := []string{
		"cluster_uid", "namespace", "pod", "pod_uid", "container", "restarts", "owner_uid", "owner_kind", "owner_name", "job_uid", "job_kind", "job_name", "node",
		"started_at", "ended_at", "exit_code", "reason", "complete", "phase", "lines_kept", "text_bytes", "stored_bytes", "lost_lines", "lost", "limited", "floor_at", "floor_lines",
		"first_at", "last_at", "fetched_at", "removed_at", "version",
	}
	var rows, chunks [][]any
	zero := int64(0)
	for i := range n {
		rows = append(rows, []any{
			"cluster", "ml", fmt.Sprint("p-", i), fmt.Sprint("uid-p-", i), "main", zero, fmt.Sprint("uid-o-", i/4), "Job", "o", fmt.Sprint("uid-job-", i/8), "Job", "j", "n",
			zero, zero, zero, "", int16(1), int16(i%3 + 1), int64(1), int64(1), int64(1), zero, "", "", zero, zero,
			zero, int64(i), start.UnixMicro() + int64(i), zero, zero,
		})
		chunks = append(chunks, []any{int64(i + 1), int64(1), zero, zero, int64(1), int64(1), joblog.Pack(numbered(0, 1))})
	}
	err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		if err := tx.Insert(t.Context(), "kept_logs", columns, rows); err != nil {
			return err
		}
		return tx.Insert(t.Context(), "kept_log_chunks", []string{"log_id", "seq", "first_at", "last_at", "line_count", "text_bytes", "data"}, chunks)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// useAll calls each function once.
func (d *database) useAll(t *testing.T) {
	s, now := newStore(d, joblog.Limits{PerJob: 20_000})
	s.put(t, of("new", 0), noise(1, 5))
	s.put(t, ended(of("new", 0), time.Hour, 1), noise(1, 100))
	l, _ := s.only(t, "new")
	_ = s.lines(t, l)
	if _, _, found, err := s.Tail(t.Context(), joblog.Selection{UIDs: []string{"uid-job-3"}, ClusterUID: "cluster"}, 3); err != nil || !found {
		t.Errorf("tail: found %v, error %v; want true", found, err)
	}
	if _, err := s.LastLine(t.Context(), "uid-job-3"); err != nil {
		t.Error(err)
	}
	if _, err := s.Totals(t.Context()); err != nil {
		t.Error(err)
	}
	if err := joblog.Shrink(t.Context(), d.DB, 10_000, *now); err != nil {
		t.Error(err)
	}
	if _, err := joblog.Expired(t.Context(), d.DB, start); err != nil {
		t.Error(err)
	}
	if _, err := joblog.Prune(t.Context(), d.DB, start.Add(10*time.Microsecond), nil); err != nil {
		t.Error(err)
	}
	err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		_, err := joblog.RemoveOf(t.Context(), tx, joblog.Selection{ClusterUID: "cluster", UIDs: []string{"uid-job-5"}})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// scans returns the plan of a statement if it reads a whole table or index.
func (d *database) scans(t *testing.T, kind, statement string) string {
	explain := map[string]string{"sqlite": "EXPLAIN QUERY PLAN ", "postgres": "EXPLAIN ", "mariadb": "EXPLAIN "}[dbtest.Family(kind)]
	rows, err := d.SQL().QueryContext(t.Context(), explain+statement)
	if err != nil {
		t.Errorf("explain of %s failed: %v", statement, err)
		return ""
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	bad := false
	for rows.Next() {
		line := make([]any, len(columns))
		for i := range line {
			line[i] = new(any)
		}
		if err := rows.Scan(line...); err != nil {
			t.Fatal(err)
		}
		var text []string
		for i := range line {
			switch v := (*line[i].(*any)).(type) {
			case []byte:
				text = append(text, string(v))
			default:
				text = append(text, fmt.Sprint(v))
			}
		}
		one := strings.Join(text, " ")
		plan.WriteString(one + "\n")
		switch dbtest.Family(kind) {
		case "sqlite":
			bad = bad || strings.Contains(one, "SCAN ")
		case "postgres":
			bad = bad || strings.Contains(one, "Seq Scan on ")
		case "mariadb":
			bad = bad || regexp.MustCompile(`(l|kept_logs|kept_log_chunks) (ALL|index) `).MatchString(one)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if bad {
		return plan.String()
	}
	return ""
}
