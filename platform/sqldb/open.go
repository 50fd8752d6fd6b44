package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/vedette-io/vedette/internal/oscompat"
)

// ErrAbsent is returned by Inspect and Read for a database file that does not exist.
var ErrAbsent = errors.New("the file does not exist; `vedette record` creates it")

// ErrAbsent is returned by Inspect and Read for a missing database file.
var ErrNoSchema = errors.New("the database lacks a migration")

// Open opens a database by its URL, and creates a missing SQLite file. It does not change
// the schema. The caller closes the DB.
//
//	sqlite:history.db    sqlite:///var/lib/vedette/history.db
//	mysql://user@host:3306/database?tls-ca=/ca.pem&password-file=/secret
//	postgres://user@host:5432/database?sslmode=verify-full&sslrootcert=/ca.pem
//	postgres://user@host-1:5432,host-2:5432/database
//
// Several hosts are servers of one replicated database. A connection uses the first one that
// takes writes, so work continues on another host when a standby was promoted. The URL of a MariaDB server begins with mysql: or mariadb:. The password is in the URL,
// in the file that password-file names, or in the environment variable VEDETTE_DB_PASSWORD.
// No error and no log contains it.
//
// Errors: an invalid URL; an Error if the database does not answer within Timeout, or
// refuses the connection.
func Open(ctx context.Context, url string) (*DB, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return nil, err
	}
	return OpenWith(ctx, driver, url)
}

// OpenWith is like Open, with a driver for the URL, which may have any scheme.
func OpenWith(ctx context.Context, driver Driver, url string) (*DB, error) {
	a, err := parse(driver, url, os.Getenv)
	if err != nil {
		return nil, err
	}
	return openPool(ctx, driver, a, ReadWrite)
}

// Inspect opens a database for a short inspection. It changes nothing, and creates no file,
// not even a temporary one next to the database. It may miss concurrent writes. The caller
// closes the DB.
//
// Errors: ErrAbsent; those of Open.
func Inspect(ctx context.Context, url string) (*DB, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return nil, err
	}
	return InspectWith(ctx, driver, url)
}

// InspectWith is like Inspect, with a driver for the URL, which may have any scheme.
func InspectWith(ctx context.Context, driver Driver, url string) (*DB, error) {
	a, err := existing(driver, url)
	if err != nil {
		return nil, err
	}
	return openPool(ctx, driver, a, ReadOnly)
}

// Read opens a database to read its history, also while others write. If the process has no
// write access to an SQLite file, Read may miss concurrent writes. The caller closes the
// DB.
//
// Errors: ErrAbsent, ErrNoSchema, ErrNewer; those of Open.
func Read(ctx context.Context, url string) (*DB, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return nil, err
	}
	return ReadWith(ctx, driver, url)
}

// ReadWith is like Read, with a driver for the URL, which may have any scheme.
func ReadWith(ctx context.Context, driver Driver, url string) (*DB, error) {
	a, err := existing(driver, url)
	if err != nil {
		return nil, err
	}
	access := ReadWrite
	if a.File != "" && errors.Join(oscompat.CheckWritable(a.File), oscompat.CheckWritable(filepath.Dir(a.File))) != nil {
		access = ReadOnly
	}
	d, err := openPool(ctx, driver, a, access)
	if err != nil {
		return nil, err
	}
	steps, err := d.Migrations(ctx)
	for _, m := range steps {
		if err == nil && !m.Applied {
			err = fmt.Errorf("%s: %w: %s; check that it is the right database, or run `vedette migrate up`", d, ErrNoSchema, m.Name)
		}
	}
	if err != nil {
		_ = d.Close() // the first error is more useful
		return nil, err
	}
	return d, nil
}

// openPool opens the database at an address.
func openPool(ctx context.Context, driver Driver, a Address, access Access) (*DB, error) {
	p, err := newPool(ctx, driver, a, access)
	if err != nil {
		return nil, err
	}
	return &DB{Fragments: p.Fragments, pool: p}, nil
}

// existing returns the address of an existing database. It checks before the database is
// opened, because opening would create a file.
//
// Errors: ErrAbsent; an invalid URL.
func existing(driver Driver, url string) (Address, error) {
	a, err := parse(driver, url, os.Getenv)
	if err != nil || a.File == "" {
		return a, err
	}
	info, err := os.Stat(a.File)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 { // created, but never written
		return a, fmt.Errorf("%s: %w", a.URL, ErrAbsent)
	}
	return a, nil
}

// DriverOf returns the driver of this package for the scheme of a URL.
//
// Errors: an invalid URL; an unsupported scheme.
func DriverOf(url string) (Driver, error) {
	u, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "sqlite", "sqlite3", "file":
		return SQLite(), nil
	case "mysql", "mariadb":
		return MySQL(), nil
	case "postgres", "postgresql":
		return PostgreSQL(), nil
	}
	return nil, fmt.Errorf("databases of kind %q are not supported: %s", u.Scheme, useURL)
}

const useURL = "use sqlite:FILE, mysql://… or postgres://…"

// parseURL parses the URL of a database. Its errors never contain the URL, which may
// contain a password.
func parseURL(text string) (*url.URL, error) {
	scheme, found := schemeOf(text)
	if !found && strings.ContainsAny(text, "= @:") { // a connection string of libpq or of a driver
		return nil, errors.New("the database is not a URL: " + useURL)
	}
	if !found {
		return nil, fmt.Errorf("the database %q is not a URL: %s", filepath.Base(text), useURL)
	}
	if rest := text[len(scheme)+1:]; len(scheme) == 1 && (strings.HasPrefix(rest, `\`) || strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "//")) {
		return nil, fmt.Errorf("the database %q is a path, not a URL: use sqlite:%s", text, text)
	}
	u, err := parseHosts(text)
	if err == nil && u.Scheme == "" {
		return nil, errors.New("the URL of the database has no scheme: " + useURL)
	}
	if err == nil {
		return u, nil
	}
	reason := errors.New("malformed URL")
	if e := (*url.Error)(nil); errors.As(err, &e) {
		reason = e.Err
	}
	return nil, fmt.Errorf("the URL of the database (%s://…) cannot be parsed: %w; escape special characters of the password, or set VEDETTE_DB_PASSWORD", scheme, reason)
}

// schemeOf returns the scheme of a URL (RFC 3986, section 3.1).
func schemeOf(text string) (scheme string, ok bool) {
	scheme, _, ok = strings.Cut(text, ":")
	return scheme, ok && validScheme.MatchString(scheme)
}

var validScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// parse parses a URL with a driver.
func parse(driver Driver, text string, getenv func(string) string) (Address, error) {
	u, err := parseURL(text)
	if err != nil {
		return Address{}, err
	}
	return driver.Address(u, getenv)
}

// addressOf returns the address of a URL without the settings in the environment.
func addressOf(url string) (Address, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return Address{}, err
	}
	return parse(driver, url, func(string) string { return "" })
}

// Hide returns the URL of a database without its secrets. For an invalid URL it returns at
// most the scheme.
func Hide(url string) string {
	a, err := addressOf(url)
	if err == nil {
		return a.URL
	}
	if scheme, ok := schemeOf(url); ok {
		return scheme + ":…"
	}
	return "…"
}

// FileOf returns the file of an SQLite database. ok is false for other databases, and for
// an invalid URL.
func FileOf(url string) (file string, ok bool) {
	a, err := addressOf(url)
	return a.File, err == nil && a.File != ""
}
