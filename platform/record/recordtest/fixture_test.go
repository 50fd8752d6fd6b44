package recordtest_test

import (
	"bufio"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver
	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	_ "modernc.org/sqlite"             // the driver

	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// recorded has the files of a recorded history; its README describes it.
const recorded = "testdata/history"

// raw opens a database without the packages under test.
func raw(t *testing.T, address string) *sql.DB {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name, dsn := "pgx", address
	switch u.Scheme {
	case "sqlite":
		name, dsn = "sqlite", "file:"+u.Opaque+u.Path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_txlock=immediate"
	case "mysql":
		name, dsn = "mysql", fmt.Sprintf("%s@tcp(%s)%s?interpolateParams=true&clientFoundRows=true&collation=utf8mb4_bin", u.User.Username(), u.Host, u.Path)
	}
	db, err := sql.Open(name, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// loadHistory inserts the rows of the recorded history.
func loadHistory(t *testing.T, db *sql.DB, kind string) {
	t.Helper()
	var table string
	var columns []string
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // after the commit it does nothing
	for _, line := range lines(t, filepath.Join(recorded, "rows.jsonl")) {
		if strings.HasPrefix(line, "{") {
			var head struct {
				Table   string   `json:"table"`
				Columns []string `json:"columns"`
			}
			decode(t, line, &head)
			table, columns = head.Table, head.Columns
			continue
		}
		var values []any
		decode(t, line, &values)
		marks := make([]string, len(columns))
		for i, v := range values {
			values[i] = value(t, v)
			if marks[i] = "?"; dbtest.Family(kind) == "postgres" {
				marks[i] = fmt.Sprintf("$%d", i+1)
			}
		}
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", values...); err != nil {
			t.Fatalf("insert into %s failed: %v", table, err)
		}
	}
	if dbtest.Family(kind) == "postgres" { // identities do not follow explicit numbers
		for _, table := range []string{"clusters", "resources", "objects", "revisions", "transitions", "dictionaries", "coverage", "gaps"} {
			if _, err := tx.ExecContext(t.Context(), fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%s', 'id'), (SELECT MAX(id) FROM %s))", table, table)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// lines reads the lines of a file.
func lines(t *testing.T, file string) (all []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		all = append(all, s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// decode decodes JSON, with numbers as written.
func decode(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s is not JSON: %v", text, err)
	}
}

// value is the value of a column. Bytes are an object with the field hex.
func value(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	case map[string]any:
		b, err := hex.DecodeString(v["hex"].(string))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return v
}
