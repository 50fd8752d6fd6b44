// Package dbtest gives tests an empty database of each kind: an SQLite file, and databases
// on PostgreSQL, MariaDB and MySQL servers that it starts for the test binary, and that a test
// can kill and start again.
//
// VEDETTE_TEST_DATABASES selects the kinds: "sqlite,postgres,mariadb,mysql". The default is
// "sqlite", so that the unit tests need only Go. If a selected server is not installed,
// the test fails.
//
// # Data flow
//
//	VEDETTE_TEST_DATABASES -> servers of the test binary -> a new database -> the URL for a test
//
// # Ownership
//
// A database belongs to its test. The servers belong to the test binary, and end with it.
//
// # Guarantees
//
// Each test gets an empty database. A server uses a free port and a folder of its own.
//
// # Limits
//
// The programs of the servers must be installed; tools/setup.sh installs them. MySQL excludes
// MariaDB as a package, so tools/mysql.sh unpacks it into the cache of the user.
//
// # Errors
//
// A server or a database that cannot be had fails the test.
package dbtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variable is the environment variable with the kinds to test, separated by commas.
const Variable = "VEDETTE_TEST_DATABASES"

// Each runs a test with the URL of an empty database of each selected kind.
func Each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, Empty(t, kind)) })
	}
}

// First returns the URL of an empty database of the first selected kind, for packages
// whose tests share a fixture: `make databases` runs them once with each kind.
func First(t *testing.T) string {
	t.Helper()
	return Empty(t, Kinds()[0])
}

// Kinds returns the selected kinds.
func Kinds() []string {
	kinds := os.Getenv(Variable)
	if kinds == "" {
		kinds = "sqlite"
	}
	return strings.Split(kinds, ",")
}

// Family returns the kind whose SQL a kind has: "mariadb" for MySQL, "postgres" for PgBouncer,
// and otherwise the kind.
func Family(kind string) string {
	switch kind {
	case "mysql":
		return "mariadb"
	case "pgbouncer":
		return "postgres"
	}
	return kind
}

// Selected returns the first selected kind of a family, or "" if none is selected.
func Selected(family string) string {
	for _, kind := range Kinds() {
		if Family(kind) == family {
			return kind
		}
	}
	return ""
}

// Of returns the server of a kind, or nil for SQLite.
func Of(t *testing.T, kind string) *Server {
	switch kind {
	case "postgres":
		return Postgres(t)
	case "mariadb":
		return MariaDB(t)
	case "mysql":
		return MySQL(t)
	case "pgbouncer":
		return PgBouncer(t)
	}
	return nil
}

// Empty creates an empty database of a kind, and returns its URL.
func Empty(t *testing.T, kind string) string {
	t.Helper()
	switch kind {
	case "sqlite":
		return "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	case "postgres":
		return Postgres(t).Empty(t)
	case "mariadb":
		return MariaDB(t).Empty(t)
	case "mysql":
		return MySQL(t).Empty(t)
	case "pgbouncer":
		return PgBouncer(t).Empty(t)
	}
	t.Fatalf("%s names a kind of database %q; there are sqlite, postgres, mariadb, mysql and pgbouncer", Variable, kind)
	return ""
}

// New creates an empty database of a kind, and returns its URL, for callers that are not
// tests. The file of an SQLite database is in dir.
//
// Errors: ErrAbsent; those of the server.
func New(ctx context.Context, kind, dir string) (url string, err error) {
	get := map[string]func() (*Server, error){"postgres": postgres, "mariadb": mariaDB, "mysql": mySQL}[kind]
	switch {
	case kind == "sqlite":
		return "sqlite:" + filepath.Join(dir, "history.db"), nil
	case get == nil:
		return "", fmt.Errorf("there is no kind of database %q; there are sqlite, postgres, mariadb and mysql", kind)
	}
	s, err := get()
	if err != nil {
		return "", err
	}
	return s.empty(ctx)
}
