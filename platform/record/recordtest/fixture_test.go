package recordtest_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	_ "github.com/go-sql-driver/mysql" // the driver
	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver
)

// step1 has the data of the version with step 1 of the schema; its README describes how it
// was made.
const step1 = "testdata/step1"

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

// makeStep1 creates the schema of step 1 like its version: with Goose, and its own text.
func makeStep1(t *testing.T, db *sql.DB, kind string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(step1, "schema-"+kind+".sql"))
	if err != nil {
		t.Fatal(err)
	}
	dialect := map[string]goose.Dialect{"sqlite": goose.DialectSQLite3, "postgres": goose.DialectPostgres, "mariadb": goose.DialectMySQL}[kind]
	p, err := goose.NewProvider(dialect, db, fstest.MapFS{"00001_first.sql": {Data: text}}, goose.WithTableName("vedette_schema"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// loadStep1 inserts the rows that the version with step 1 recorded.
func loadStep1(t *testing.T, db *sql.DB, kind string) {
	t.Helper()
	var table string
	var columns []string
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // after the commit it does nothing
	for _, line := range lines(t, filepath.Join(step1, "rows.jsonl")) {
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
			if marks[i] = "?"; kind == "postgres" {
				marks[i] = fmt.Sprintf("$%d", i+1)
			}
		}
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", values...); err != nil {
			t.Fatalf("insert into %s failed: %v", table, err)
		}
	}
	if kind == "postgres" { // identities do not follow explicit numbers
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

// value is the value of a column or of a parameter. A type that JSON lacks is an object
// with one field, which names the type.
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
		for kind, v := range v {
			return typed(t, kind, v)
		}
	}
	return v
}

func typed(t *testing.T, kind string, v any) any {
	t.Helper()
	unhex := func(v any) []byte {
		b, err := hex.DecodeString(v.(string))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if kind == "hex" || kind == "bytes" {
		return unhex(v)
	}
	var numbers []int64
	var small []int16
	var texts []string
	var blobs [][]byte
	for _, v := range v.([]any) {
		switch kind {
		case "textArray":
			texts = append(texts, v.(string))
		case "bytesArray":
			blobs = append(blobs, unhex(v))
		default:
			n, err := v.(json.Number).Int64()
			if err != nil {
				t.Fatal(err)
			}
			numbers, small = append(numbers, n), append(small, int16(n))
		}
	}
	switch kind {
	case "textArray":
		return texts
	case "bytesArray":
		return blobs
	case "int16Array":
		return small
	}
	return numbers
}

// sent is a statement that the version with step 1 sent.
type sent struct {
	Kind string `json:"kind"` // begin, commit, exec or query
	SQL  string `json:"sql"`
	Args []any  `json:"args"`
}

func readSent(t *testing.T, file string) (all []sent) {
	t.Helper()
	for _, line := range lines(t, filepath.Join(step1, file)) {
		var s sent
		decode(t, line, &s)
		for i, a := range s.Args {
			s.Args[i] = value(t, a)
		}
		all = append(all, s)
	}
	return all
}

// sender is a database or a transaction.
type sender interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// send sends a statement, and reads the result.
func (s *sent) send(ctx context.Context, to sender) error {
	if s.Kind == "exec" {
		_, err := to.ExecContext(ctx, s.SQL, s.Args...)
		return err
	}
	rows, err := to.QueryContext(ctx, s.SQL, s.Args...)
	if err != nil {
		return err
	}
	for rows.Next() { // only the read rows matter
	}
	if err := rows.Err(); err != nil {
		_ = rows.Close() // Err returns the first error
		return err
	}
	return rows.Close()
}
