package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrAbsent is returned by Inspect and Read for an SQLite file that there is not yet.
var ErrAbsent = errors.New("there is no such file yet; `vedette record` makes it")

// ErrNoSchema is returned by Read for a database without a schema, or with less of it
// than this program needs.
var ErrNoSchema = errors.New("the database lacks steps of the schema")

// Open opens a database by its URL, and does not change it yet:
//
//	sqlite:///var/lib/vedette/history.db    sqlite:history.db
//	mysql://user@host:3306/database?tls=true&tls-ca=/ca.pem&password-file=/secret
//	postgres://user@host:5432/database?sslmode=verify-full&sslrootcert=/ca.pem
//
// MariaDB counts as MySQL. A password may stand in the URL, in the file that
// password-file names, or in the environment as VEDETTE_DB_PASSWORD; it is in no
// error and no log. Close closes it.
//
// Errors: what is wrong with the URL; the database does not answer, or refuses.
func Open(ctx context.Context, url string) (*DB, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return nil, err
	}
	return OpenWith(ctx, driver, url)
}

// OpenWith is Open with a driver, which reads the URL. The scheme may be any.
func OpenWith(ctx context.Context, driver Driver, url string) (*DB, error) {
	a, err := parse(driver, url, os.Getenv)
	if err != nil {
		return nil, err
	}
	return openPool(ctx, driver, a, ReadWrite)
}

// Inspect opens a database to look at it for a moment: it changes nothing, and makes no
// file, not even beside a file that is there. What others write meanwhile may not be
// seen. Close closes it.
//
// Errors: ErrAbsent; those of Open.
func Inspect(ctx context.Context, url string) (*DB, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return nil, err
	}
	return InspectWith(ctx, driver, url)
}

// InspectWith is Inspect with a driver, which reads the URL.
func InspectWith(ctx context.Context, driver Driver, url string) (*DB, error) {
	a, err := existing(driver, url)
	if err != nil {
		return nil, err
	}
	return openPool(ctx, driver, a, ReadOnly)
}

// Read opens a database to read its history, also while it is written. Of an SQLite
// file without the right to write it, what others write meanwhile is not seen. Close
// closes it.
//
// Errors: ErrAbsent, ErrNoSchema, ErrNewer; those of Open.
func Read(ctx context.Context, url string) (*DB, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return nil, err
	}
	return ReadWith(ctx, driver, url)
}

// ReadWith is Read with a driver, which reads the URL.
func ReadWith(ctx context.Context, driver Driver, url string) (*DB, error) {
	a, err := existing(driver, url)
	if err != nil {
		return nil, err
	}
	access := ReadWrite
	if a.File != "" && errors.Join(unix.Access(a.File, unix.W_OK), unix.Access(filepath.Dir(a.File), unix.W_OK)) != nil {
		access = ReadOnly
	}
	d, err := openPool(ctx, driver, a, access)
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

func openPool(ctx context.Context, driver Driver, a Address, access Access) (*DB, error) {
	p, err := newPool(ctx, driver, a, access)
	if err != nil {
		return nil, err
	}
	return &DB{p.Fragments, p}, nil
}

// existing returns the address of a database that exists: opening a file creates it.
func existing(driver Driver, url string) (Address, error) {
	a, err := parse(driver, url, os.Getenv)
	if err != nil || a.File == "" {
		return a, err
	}
	info, err := os.Stat(a.File)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 { // created, and not used yet
		return a, fmt.Errorf("%s: %w", a.URL, ErrAbsent)
	}
	return a, nil
}

// DriverOf returns the driver for the scheme of a URL.
//
// Errors: what is wrong with the URL; the package has no driver for it.
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
	return nil, fmt.Errorf("there is no kind of database %q: take sqlite:FILE, mysql://… or postgres://…", u.Scheme)
}

// parseURL reads a URL. Errors do not contain it, because it may have a password.
func parseURL(text string) (*url.URL, error) {
	scheme, _, found := strings.Cut(text, ":")
	if !found {
		return nil, fmt.Errorf("the database %q is no URL: take sqlite:FILE, mysql://… or postgres://…", filepath.Base(text))
	}
	u, err := url.Parse(text)
	if err == nil {
		return u, nil
	}
	reason := errors.New("it is malformed")
	if e := (*url.Error)(nil); errors.As(err, &e) {
		reason = e.Err
	}
	return nil, fmt.Errorf("the URL of the database (%s://…) can not be read: %w; escape special characters of the password, or put it into VEDETTE_DB_PASSWORD", scheme, reason)
}

// parse reads a URL with a driver.
func parse(driver Driver, text string, getenv func(string) string) (Address, error) {
	u, err := parseURL(text)
	if err != nil {
		return Address{}, err
	}
	return driver.Address(u, getenv)
}

// addressOf returns the address of a URL, without what is in the environment.
func addressOf(url string) (Address, error) {
	driver, err := DriverOf(url)
	if err != nil {
		return Address{}, err
	}
	return parse(driver, url, func(string) string { return "" })
}

// Hide returns the URL of a database without what is secret in it.
func Hide(url string) string {
	a, err := addressOf(url)
	if err != nil {
		if scheme, _, ok := strings.Cut(url, ":"); ok {
			return scheme + ":…"
		}
		return "…"
	}
	return a.URL
}

// FileOf returns the file of an SQLite database; ok is false for other databases.
func FileOf(url string) (file string, ok bool) {
	a, err := addressOf(url)
	return a.File, err == nil && a.File != ""
}
