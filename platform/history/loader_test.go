package history_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// loader fills the tables of an empty database with many rows. It creates the indexes after
// the rows, which takes less time.
type loader interface {
	// into begins to fill a table, "name" or "name(column, ...)".
	into(table string) inserter
	// end creates the indexes, after all inserters have ended.
	end()
}

// inserter inserts rows into a table, many with one statement.
type inserter interface {
	add(values ...any)
	end()
}

// newLoader creates the schema, and returns a loader.
func newLoader(t *testing.T, url string) loader {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	file, found := strings.CutPrefix(url, "sqlite:")
	switch {
	case found:
		if err := db.Close(); err != nil { // it has locks
			t.Fatal(err)
		}
		return newSQLiteLoader(t, file)
	case strings.HasPrefix(url, "postgres"):
		l := &serverLoader{t: t, db: db.SQL(), copy: copyToPostgres, loaded: []string{
			// Estimates of this number from samples of large tables are far too low: here 1% of it.
			"ALTER TABLE transitions ALTER COLUMN object_id SET (n_distinct = -0.002)",
			"VACUUM ANALYZE",
		}}
		// Without a log, COPY writes each row once. A test discards the database anyway.
		for _, table := range append(largeTables, "labels", "jobs", "revisions", model.IndexTable) {
			l.exec("ALTER TABLE " + table + " SET UNLOGGED")
		}
		l.dropIndexes(`SELECT 'DROP INDEX ' || indexname, indexdef FROM pg_indexes
			WHERE schemaname = CURRENT_SCHEMA() AND tablename = ? AND indexname NOT IN (SELECT conname FROM pg_constraint)`, "$1")
		return l
	default:
		l := &serverLoader{t: t, db: db.SQL(), copy: copyToMySQL, loaded: []string{"ANALYZE TABLE objects, transitions, labels, jobs, revisions, " + model.IndexTable}}
		l.dropIndexes(`SELECT CONCAT('DROP INDEX ', index_name, ' ON ', table_name),
			CONCAT('CREATE INDEX ', index_name, ' ON ', table_name, ' (', GROUP_CONCAT(column_name ORDER BY seq_in_index), ')')
			FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND non_unique = 1 GROUP BY table_name, index_name`, "?")
		return l
	}
}

// largeTables are the tables whose indexes are created after the rows.
var largeTables = []string{"objects", "transitions"}

// sqliteLoader fills an SQLite file in one transaction.
type sqliteLoader struct {
	t       *testing.T
	db      *sql.DB
	tx      *sql.Tx
	indexes []string
}

func newSQLiteLoader(t *testing.T, file string) *sqliteLoader {
	t.Helper()
	direct, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	direct.SetMaxOpenConns(1) // settings belong to a connection
	l := &sqliteLoader{t: t, db: direct}
	l.exec("PRAGMA journal_mode = OFF") // a partly filled file is discarded
	l.exec("PRAGMA synchronous = OFF")
	l.exec("PRAGMA cache_size = -400000")
	drop := queryPairs(t, direct, "SELECT 'DROP INDEX ' || name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (?, ?)", largeTables[0], largeTables[1])
	for _, pair := range drop {
		l.exec(pair[0])
		l.indexes = append(l.indexes, pair[1])
	}
	if l.tx, err = direct.BeginTx(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *sqliteLoader) exec(text string) {
	l.t.Helper()
	if _, err := l.db.ExecContext(l.t.Context(), text); err != nil {
		l.t.Fatalf("%s failed: %v", text, err)
	}
}

func (l *sqliteLoader) into(table string) inserter {
	return &sqliteInserter{t: l.t, tx: l.tx, table: table}
}

func (l *sqliteLoader) end() {
	l.t.Helper()
	if err := l.tx.Commit(); err != nil {
		l.t.Fatal(err)
	}
	for _, text := range l.indexes {
		l.exec(text)
	}
	l.exec("PRAGMA journal_mode = WAL")
	if err := l.db.Close(); err != nil {
		l.t.Fatal(err)
	}
}

// queryPairs returns the rows of a query with two columns of text.
func queryPairs(t *testing.T, db *sql.DB, query string, args ...any) (all [][2]string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var pair [2]string
		if err := rows.Scan(&pair[0], &pair[1]); err != nil {
			t.Fatal(err)
		}
		all = append(all, pair)
	}
	if err := rows.Err(); err != nil || len(all) == 0 {
		t.Fatalf("got %d rows and error %v, want at least one", len(all), err)
	}
	return all
}

// sqliteInserter uses statements with many rows.
type sqliteInserter struct {
	t       *testing.T
	tx      *sql.Tx
	table   string
	columns int
	args    []any
	stmt    *sql.Stmt
}

const rowsAtOnce = 100

func (i *sqliteInserter) add(values ...any) {
	i.columns = len(values)
	if i.args = append(i.args, values...); len(i.args) < rowsAtOnce*i.columns {
		return
	}
	if i.stmt == nil {
		i.stmt = i.prepare(rowsAtOnce)
	}
	if _, err := i.stmt.Exec(i.args...); err != nil {
		i.t.Fatalf("insert into %s failed: %v", i.table, err)
	}
	i.args = i.args[:0]
}

func (i *sqliteInserter) prepare(rows int) *sql.Stmt {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", i.columns), ",") + "),"
	stmt, err := i.tx.Prepare("INSERT INTO " + i.table + " VALUES " + strings.TrimSuffix(strings.Repeat(row, rows), ","))
	if err != nil {
		i.t.Fatalf("prepare of the insert into %s failed: %v", i.table, err)
	}
	return stmt
}

func (i *sqliteInserter) end() {
	if len(i.args) > 0 {
		stmt := i.prepare(len(i.args) / i.columns)
		if _, err := stmt.Exec(i.args...); err != nil {
			i.t.Fatalf("insert into %s failed: %v", i.table, err)
		}
		_ = stmt.Close()
	}
	if i.stmt != nil {
		_ = i.stmt.Close()
	}
}

// serverLoader fills the tables of a server, each by one statement that reads rows as text
// with tabs.
type serverLoader struct {
	t       *testing.T
	db      *sql.DB
	copy    func(db *sql.DB, t *testing.T, table string, rows io.Reader) error
	indexes []string
	loaded  []string // statements after the rows
}

func (l *serverLoader) exec(text string) {
	l.t.Helper()
	if _, err := l.db.ExecContext(l.t.Context(), text); err != nil {
		l.t.Fatalf("%s failed: %v", text, err)
	}
}

// dropIndexes drops the indexes of large tables. query returns the statements that drop and
// create the indexes of a table; parameter is its "?".
func (l *serverLoader) dropIndexes(query, parameter string) {
	l.t.Helper()
	for _, table := range largeTables {
		for _, pair := range queryPairs(l.t, l.db, strings.Replace(query, "?", parameter, 1), table) {
			l.exec(pair[0])
			l.indexes = append(l.indexes, pair[1])
		}
	}
}

func (l *serverLoader) into(table string) inserter {
	r, w := io.Pipe()
	i := &streamInserter{t: l.t, table: table, pipe: w, buffer: bufio.NewWriterSize(w, 1<<20), done: make(chan error, 1)}
	go func() {
		err := l.copy(l.db, l.t, table, r)
		_ = r.CloseWithError(err) // add returns the error instead of waiting for a reader
		i.done <- err
	}()
	return i
}

func (l *serverLoader) end() {
	l.t.Helper()
	for _, text := range append(l.indexes, l.loaded...) {
		l.exec(text)
	}
}

// streamInserter writes rows as text to a statement.
type streamInserter struct {
	t      *testing.T
	table  string
	pipe   *io.PipeWriter
	buffer *bufio.Writer
	row    []byte
	done   chan error
}

func (i *streamInserter) add(values ...any) {
	i.row = i.row[:0]
	for n, v := range values {
		if n > 0 {
			i.row = append(i.row, '\t')
		}
		switch v := v.(type) {
		case int:
			i.row = strconv.AppendInt(i.row, int64(v), 10)
		case int16:
			i.row = strconv.AppendInt(i.row, int64(v), 10)
		case int64:
			i.row = strconv.AppendInt(i.row, v, 10)
		case string:
			i.row = append(i.row, v...) // the values of a month need no escapes
		default:
			i.t.Fatalf("%s: no text of a %T", i.table, v)
		}
	}
	i.row = append(i.row, '\n')
	if _, err := i.buffer.Write(i.row); err != nil {
		i.t.Fatalf("%s: %v", i.table, err)
	}
}

func (i *streamInserter) end() {
	i.t.Helper()
	if err := i.buffer.Flush(); err != nil {
		i.t.Fatalf("%s: %v", i.table, err)
	}
	_ = i.pipe.Close()
	if err := <-i.done; err != nil {
		i.t.Fatalf("%s: %v", i.table, err)
	}
}

// copyToPostgres copies rows with COPY.
func copyToPostgres(db *sql.DB, t *testing.T, table string, rows io.Reader) error {
	conn, err := db.Conn(t.Context())
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		_, err := c.(interface{ Conn() *pgx.Conn }).Conn().PgConn().CopyFrom(t.Context(), rows, "COPY "+table+" FROM STDIN")
		return err
	})
}

var readers atomic.Int64

// copyToMySQL copies rows with LOAD DATA.
func copyToMySQL(db *sql.DB, t *testing.T, table string, rows io.Reader) error {
	reader := fmt.Sprint("rows", readers.Add(1))
	mysql.RegisterReaderHandler(reader, func() io.Reader { return rows })
	defer mysql.DeregisterReaderHandler(reader)
	conn, err := db.Conn(t.Context())
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, check := range []string{"unique_checks", "foreign_key_checks"} { // InnoDB then sorts rows instead of inserting each
		if _, err := conn.ExecContext(t.Context(), "SET SESSION "+check+" = 0"); err != nil {
			return err
		}
	}
	name, columns, listed := strings.Cut(table, "(")
	if listed {
		columns = "(" + columns
	}
	_, err = conn.ExecContext(t.Context(), "LOAD DATA LOCAL INFILE 'Reader::"+reader+"' INTO TABLE "+name+" "+columns)
	return err
}
