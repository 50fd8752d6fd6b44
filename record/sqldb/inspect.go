package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrAbsent is returned by Inspect and Read for an SQLite file that there is not yet.
var ErrAbsent = errors.New("there is no such file yet; `vedette record` makes it")

// ErrNoSchema is returned by Read for a database without a schema, or with less of it
// than this program needs.
var ErrNoSchema = errors.New("the database lacks steps of the schema")

// Inspect opens a database to look at it for a moment: it changes nothing, and makes no
// file, not even beside a file that is there. What others write meanwhile may not be
// seen. Close closes it.
//
// Errors: ErrAbsent; those of Open.
func Inspect(ctx context.Context, url string) (*DB, error) {
	a, err := existing(url)
	if err != nil {
		return nil, err
	}
	return a.look(ctx)
}

// Read opens a database to read its history, also while it is written. Of an SQLite
// file without the right to write it, what others write meanwhile is not seen. Close
// closes it.
//
// Errors: ErrAbsent, ErrNoSchema, ErrNewer; those of Open.
func Read(ctx context.Context, url string) (*DB, error) {
	a, err := existing(url)
	if err != nil {
		return nil, err
	}
	var d *DB
	if a.file != "" && errors.Join(unix.Access(a.file, unix.W_OK), unix.Access(filepath.Dir(a.file), unix.W_OK)) != nil {
		d, err = a.look(ctx)
	} else {
		d, err = a.connect(ctx)
	}
	if err != nil {
		return nil, err
	}
	steps, err := d.Migrations(ctx)
	for _, m := range steps {
		if err == nil && !m.Applied {
			err = fmt.Errorf("%s: %w: %s; is it the right one? `vedette record` and `vedette migrate up` take them", d, ErrNoSchema, m.Name)
		}
	}
	if err != nil {
		_ = d.Close() // the first error says it
		return nil, err
	}
	return d, nil
}

// existing parses the URL of a database that has to be there: SQLite makes files.
func existing(url string) (address, error) {
	a, err := parseAddress(url, os.Getenv)
	if err != nil || a.file == "" {
		return a, err
	}
	info, err := os.Stat(a.file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 { // made, and not yet used
		return a, fmt.Errorf("%s: %w", a.shown, ErrAbsent)
	}
	return a, nil
}

func (a address) look(ctx context.Context) (*DB, error) {
	if a.file != "" {
		dsn := readOnly(a.file)
		a.open = func() (*sql.DB, error) { return sql.Open("sqlite", dsn) }
	}
	return a.connect(ctx)
}

// readOnly names an SQLite file that is not to be changed.
func readOnly(file string) string {
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)"}}
	if _, err := os.Stat(file + "-wal"); errors.Is(err, fs.ErrNotExist) {
		q.Set("immutable", "1") // nobody writes: nothing is put beside it to tell who reads
	}
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + q.Encode()
}

// Hide returns the URL of a database without what is secret in it.
func Hide(url string) string {
	a, err := parseAddress(url, func(string) string { return "" })
	if err != nil {
		if scheme, _, ok := strings.Cut(url, ":"); ok {
			return scheme + ":…"
		}
		return "…"
	}
	return a.shown
}

// FileOf returns the file of an SQLite database; ok is false for other databases.
func FileOf(url string) (file string, ok bool) {
	a, err := parseAddress(url, func(string) string { return "" })
	return a.file, err == nil && a.file != ""
}

// Version returns what the database is: "PostgreSQL 15.14", "MariaDB 10.11.11".
//
// Errors: what the database says.
func (d *DB) Version(ctx context.Context) (string, error) {
	query := "SELECT version()"
	switch d.dialect {
	case sqlite:
		query = "SELECT sqlite_version()"
	case postgres:
		query = "SELECT current_setting('server_version')"
	}
	var text string
	if err := d.db.QueryRowContext(ctx, query).Scan(&text); err != nil {
		return "", d.explain(err)
	}
	name := d.dialect.name
	if before, _, found := strings.Cut(text, "-MariaDB"); found {
		name, text = "MariaDB", before
	}
	number, _, _ := strings.Cut(text, " ")
	return name + " " + number, nil
}

// Clock returns the time of the database. Of SQLite it is that of this machine.
//
// Errors: what the database says.
func (d *DB) Clock(ctx context.Context) (time.Time, error) {
	query := "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"
	switch d.dialect {
	case sqlite:
		return time.Now(), nil
	case mysql:
		query = "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)"
	}
	var at int64
	if err := d.db.QueryRowContext(ctx, query).Scan(&at); err != nil {
		return time.Time{}, d.explain(err)
	}
	return time.UnixMicro(at), nil
}

// steps returns the steps of the schema that were applied, by number, and when. It
// changes nothing: a database without a schema has none.
func (d *DB) steps(ctx context.Context) (map[int64]time.Time, error) {
	there, at := "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '"+schemaTable+"'", "CAST(strftime('%s', tstamp) AS INTEGER)"
	switch d.dialect {
	case postgres:
		there, at = "SELECT COUNT(to_regclass('"+schemaTable+"'))", "CAST(EXTRACT(EPOCH FROM tstamp AT TIME ZONE current_setting('TimeZone')) AS BIGINT)"
	case mysql:
		there, at = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '"+schemaTable+"'", "CAST(UNIX_TIMESTAMP(tstamp) AS SIGNED)"
	}
	var tables int
	if err := d.db.QueryRowContext(ctx, there).Scan(&tables); err != nil || tables == 0 {
		return nil, d.explain(err)
	}
	applied := map[int64]time.Time{}
	return applied, d.explain(d.Query(ctx, "SELECT version_id, "+at+" FROM "+schemaTable+" WHERE version_id > 0 ORDER BY id", nil, func(rows *sql.Rows) error {
		var version, when int64
		err := rows.Scan(&version, &when)
		applied[version] = time.Unix(when, 0)
		return err
	}))
}

// schemaTable is where goose notes which steps were applied.
const schemaTable = "vedette_schema"

// Migrations returns all steps of the schema, and which were applied. It changes
// nothing.
//
// Errors: ErrNewer, with what there is; what the database says.
func (d *DB) Migrations(ctx context.Context) ([]Migration, error) {
	applied, err := d.steps(ctx)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(schema, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	var all []Migration
	newest := int64(0)
	for _, name := range names {
		m := Migration{Name: path.Base(name)}
		number, _, _ := strings.Cut(m.Name, "_")
		if m.Version, err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, fmt.Errorf("the schema: %s has no number: %w", name, err)
		}
		m.At, m.Applied = applied[m.Version]
		all, newest = append(all, m), max(newest, m.Version)
	}
	for version := range applied {
		if version > newest {
			return all, d.newer(version, newest)
		}
	}
	return all, nil
}

func (d *DB) newer(has, knows int64) error {
	return fmt.Errorf("%s: %w: it is at step %d, and this program knows %d; take the version of vedette that made it, or a later one", d.shown, ErrNewer, has, knows)
}
