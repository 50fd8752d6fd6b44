package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pressly/goose/v3"
	sqlitedriver "modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// sqlite is the driver for SQLite files.
type sqlite struct{}

// SQLite returns the driver for SQLite files:
//
//	sqlite:history.db
//	sqlite:///var/lib/vedette/history.db
//	sqlite:C:\Vedette\history.db
func SQLite() Driver { return sqlite{} }

// Dialect implements Driver.
func (sqlite) Dialect() Dialect {
	return Dialect{
		Name: "SQLite", Goose: goose.DialectSQLite3,
		Variables: map[string]string{
			"ID": "INTEGER PRIMARY KEY AUTOINCREMENT", "WORD": "TEXT", "NAME": "TEXT", "TEXT": "TEXT", "HASH": "BLOB", "BLOB": "BLOB", "OPTIONS": "", "ORDERED": "WITHOUT ROWID",
			"TIME": "strftime('%Y-%m-%d %H:%M:%fZ', NULLIF(?, 0) / 1000000.0, 'unixepoch')", "REPLACE_VIEW": "DROP VIEW IF EXISTS ?;\nCREATE VIEW ?",
		},
		Macros: map[string]func([]string) string{
			"RENAME_TABLE": func(a []string) string { return sqliteRename(a[0], a[1], a[2:]) },
			"COPY_RIGHTS":  func([]string) string { return "" },
		},
		TableExists:   "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = ?",
		UnixSeconds:   "CAST(strftime('%s', ?) AS INTEGER)",
		Version:       "SELECT 'SQLite ' || sqlite_version()",
		PairsPrefix:   "VALUES ",
		IndexHint:     " INDEXED BY ?",
		OrderedJoin:   "CROSS JOIN",
		NoIndexPrefix: "+",
	}
}

// sqliteRename renames a table, and leaves a table with the old name. SQLite views do not
// support ON CONFLICT, so a trigger moves each row that is inserted under the old name. The
// old name has no rows to read or delete.
func sqliteRename(from, to string, columns []string) string {
	list, values := strings.Join(columns, ", "), "NEW."+strings.Join(columns, ", NEW.")
	return "ALTER TABLE " + from + " RENAME TO " + to + ";\n" +
		"CREATE TABLE " + from + " AS SELECT " + list + " FROM " + to + " LIMIT 0;\n" +
		"-- +goose StatementBegin\n" +
		"CREATE TRIGGER " + from + "_to_" + to + " AFTER INSERT ON " + from + " BEGIN\n" +
		"  INSERT INTO " + to + " (" + list + ") VALUES (" + values + ") ON CONFLICT DO NOTHING;\n" +
		"  DELETE FROM " + from + " WHERE rowid = NEW.rowid;\n" +
		"END;\n" +
		"-- +goose StatementEnd\n"
}

// Address implements Driver.
func (sqlite) Address(u *url.URL, _ func(string) string) (Address, error) {
	file := sqliteFile(u, runtime.GOOS == "windows")
	if file == "" {
		return Address{}, errors.New("the URL of the database names no file: use sqlite:history.db or sqlite:///var/lib/vedette/history.db")
	}
	if len(u.Query()) > 0 {
		return Address{}, fmt.Errorf("the URL of an SQLite database takes no parameters: remove ?%s", u.RawQuery)
	}
	connect := func(access Access) (*sql.DB, error) {
		db := sql.OpenDB(sqliteConnector{file, access})
		db.SetMaxOpenConns(8)
		return db, nil
	}
	return Address{URL: "sqlite:" + file, File: file, Connect: connect}, nil
}

// sqliteFile returns the path of a database file. On Windows the path of
// sqlite:///C:/history.db begins with the drive, not with a slash.
func sqliteFile(u *url.URL, windows bool) string {
	file := cmp.Or(u.Opaque, u.Host+u.Path)
	if windows && len(file) > 2 && file[0] == '/' && isDrive(file[1:3]) {
		return file[1:]
	}
	return file
}

// isDrive reports whether text is a drive of Windows, such as "C:".
func isDrive(text string) bool {
	letter := text[0] | 0x20
	return len(text) == 2 && letter >= 'a' && letter <= 'z' && text[1] == ':'
}

// sqliteConnector opens the connections to one file. The options differ for the first
// connection, which creates the file.
type sqliteConnector struct {
	file   string
	access Access
}

// Driver implements driver.Connector.
func (sqliteConnector) Driver() driver.Driver { return &sqlitedriver.Driver{} }

// Connect implements driver.Connector.
func (c sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	options := readable(c.file)
	if c.access != ReadOnly {
		createPrivate(c.file)
		options = writable(c.file)
	}
	one, err := sqlitedriver.NewConnector("file:" + (&url.URL{Path: c.file}).EscapedPath() + "?" + options.Encode())
	if err != nil {
		return nil, err
	}
	return one.Connect(ctx)
}

// createPrivate creates a missing file for this user only, because the history has logs and
// environments of everybody's jobs. SQLite gives the files beside it (-wal, -shm) the same mode. The
// mode of an existing file is its owner's decision. If the file cannot be created, SQLite says why.
func createPrivate(file string) {
	if f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_ = f.Close() // nothing was written
	}
}

// writable returns the options to read and write a file. A commit survives a crash of the
// machine. A transaction takes the write lock at its beginning, so it cannot fail halfway
// because of another writer.
func writable(file string) url.Values {
	pragmas := []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "temp_store(MEMORY)"}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		// Vacuum needs auto_vacuum, which has an effect only before the first table exists.
		// Later it would only make each connection wait for writers.
		pragmas = append([]string{"auto_vacuum(INCREMENTAL)"}, pragmas...)
	}
	return url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
}

// readable returns the options to read a file without changing its directory.
func readable(file string) url.Values {
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)"}}
	if _, err := os.Stat(file + "-wal"); errors.Is(err, fs.ErrNotExist) {
		q.Set("immutable", "1") // without a writer SQLite needs no lock files
	}
	return q
}

// sqliteChunks uses short statements that are prepared once, because SQLite takes longer to
// parse a long statement than to run it.
var sqliteChunks = Chunks{Parameters: 32_000, Prepared: 16}

// Insert implements Driver.
func (sqlite) Insert(ctx context.Context, tx *sql.Tx, rows Rows, key string) error {
	return sqliteChunks.Exec(ctx, tx, rows, func(n int) string { return sqliteInsert(rows, n, key) })
}

// InsertReturning implements Returner.
func (sqlite) InsertReturning(ctx context.Context, tx *sql.Tx, rows Rows, key string, each func(*sql.Rows) error) error {
	text := func(n int) string { return sqliteInsert(rows, n, key) + " RETURNING id, " + key }
	return sqliteChunks.Query(ctx, tx, rows, text, each)
}

// sqliteInsert returns an INSERT of n rows. With a key, it skips existing rows.
func sqliteInsert(rows Rows, n int, key string) string {
	if key != "" {
		return rows.InsertText(n) + " ON CONFLICT DO NOTHING"
	}
	return rows.InsertText(n)
}

// Update implements Driver.
func (sqlite) Update(ctx context.Context, tx *sql.Tx, rows Rows) error {
	return rows.UpdateEach(ctx, tx, nil)
}

// LockRows implements Driver. The transaction has already locked the whole file.
func (sqlite) LockRows(ctx context.Context, tx *sql.Tx, s Selection) (*sql.Rows, error) {
	query, args := s.Text("")
	return tx.QueryContext(ctx, query, args...)
}

// TryLock implements Driver. The lock is a file next to the database.
func (sqlite) TryLock(_ context.Context, _ *sql.DB, a Address, name string) (unlock func() error, ours bool, err error) {
	file := a.File + ".lock"
	if name != MigrationLock {
		file = a.File + "." + strings.TrimPrefix(name, "vedette ") + ".lock"
	}
	return TryFileLock(file)
}

// FileBytes implements Driver.
func (sqlite) FileBytes(ctx context.Context, db *sql.DB) (n int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT page_size * page_count FROM pragma_page_size, pragma_page_count").Scan(&n)
	return n, err
}

// Size implements Driver.
func (sqlite) Size(ctx context.Context, db *sql.DB) (s Size, err error) {
	var page, pages, free int64
	row := db.QueryRowContext(ctx, "SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count")
	if err := row.Scan(&page, &pages, &free); err != nil {
		return s, err
	}
	exists := sqlite{}.Dialect().TableExists
	logs, err := sizeOfLogs(ctx, db, exists)
	if err != nil {
		return s, err
	}
	audit, err := sizeOfAudit(ctx, db, exists)
	return Size{Files: page * pages, Used: page * (pages - free), Logs: logs, Audit: audit, Exact: true}, err
}

// freePages is the number of pages that one step of Vacuum returns: 4 MiB.
const freePages = 1024

// Vacuum implements Driver. It proceeds in small steps, so that others can write in
// between.
func (sqlite) Vacuum(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for before := int64(-1); ; {
		var free int64
		if err := conn.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return err
		}
		if free == 0 || free == before { // free == before: the file was created without auto_vacuum
			break
		}
		before = free
		rows, err := conn.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", freePages))
		if err != nil {
			return err
		}
		for rows.Next() { // each row is a freed page
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	var busy, log, moved int
	return conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved)
}

// scrubTries is the number of attempts of Scrub to empty the file of changes. Each waits for
// readers as long as any statement.
const scrubTries = 5

// Scrub implements Scrubber. VACUUM writes all rows into new pages; without it, pages keep parts
// of deleted rows. The file of changes has the old pages until it is emptied.
func (sqlite) Scrub(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "VACUUM"); err != nil {
		return err
	}
	for range scrubTries {
		var busy, log, moved int
		if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved); err != nil {
			return err
		}
		if busy == 0 {
			return nil
		}
	}
	return errors.New("other processes read the file all the time, so its deleted pages stay: end them, and try again")
}

// Explain implements Driver.
func (sqlite) Explain(err error, a Address) (e Explanation, known bool) {
	lite := (*sqlitedriver.Error)(nil)
	if !errors.As(err, &lite) {
		return e, false
	}
	directory := filepath.Dir(a.File)
	if info, err := os.Stat(a.File); err == nil && info.IsDir() {
		return Explanation{Problem: a.File + " is a directory", Remedy: "name a file in it"}, true
	}
	switch lite.Code() & 0xff { // the higher bits are details
	case sqlitelib.SQLITE_READONLY:
		e = Explanation{Problem: "the file or its directory is read-only", Remedy: "make both writable for the user of this process"}
	case sqlitelib.SQLITE_FULL:
		e = Explanation{Problem: "the disk is full", Remedy: "free space in " + directory, Transient: true}
	case sqlitelib.SQLITE_IOERR:
		e = Explanation{Problem: "the disk has failed or is full", Remedy: "check the disk of " + directory}
	case sqlitelib.SQLITE_CORRUPT, sqlitelib.SQLITE_NOTADB:
		e = Explanation{Problem: "the file is damaged, or is not an SQLite database", Remedy: "name another file, or restore this one from a backup"}
	case sqlitelib.SQLITE_CANTOPEN:
		if _, err := os.Stat(directory); errors.Is(err, fs.ErrNotExist) {
			return Explanation{Problem: "the directory " + directory + " does not exist", Remedy: "create it, or name another file"}, true
		}
		e = Explanation{Problem: "the file cannot be opened", Remedy: "give the user of this process write access to the file and its directory"}
	}
	return e, true
}

// ReadOnly implements Driver. There is no other server.
func (sqlite) ReadOnly(error) bool { return false }

// Conflicts implements Driver. Transactions that write follow each other.
func (sqlite) Conflicts(error) bool { return false }

// Rejects implements Driver.
func (sqlite) Rejects(err error) bool {
	lite := (*sqlitedriver.Error)(nil)
	if !errors.As(err, &lite) {
		return false
	}
	switch lite.Code() & 0xff {
	case sqlitelib.SQLITE_TOOBIG, sqlitelib.SQLITE_CONSTRAINT, sqlitelib.SQLITE_MISMATCH:
		return true
	}
	return false
}
