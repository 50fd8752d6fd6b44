// Package dbtest gives tests an empty database of each kind: an SQLite file, and
// PostgreSQL and MariaDB servers that it starts for the test binary, and that a test
// can kill and start again.
//
// Which kinds, VEDETTE_TEST_DATABASES says: "sqlite,postgres,mariadb", or "sqlite" if it
// is not set, so that the unit tests run with Go alone. A server that is named and not
// installed fails the test.
package dbtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variable names the kinds that are tested, separated by commas.
const Variable = "VEDETTE_TEST_DATABASES"

// Each runs a test with the URL of an empty database of each kind that Variable
// names.
func Each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, Empty(t, kind)) })
	}
}

// First returns the URL of an empty database of the first kind that Variable names, for packages
// whose tests share a fixture: `make databases` runs them once with each kind.
func First(t *testing.T) string {
	t.Helper()
	return Empty(t, Kinds()[0])
}

// Kinds returns the kinds that Variable names.
func Kinds() []string {
	kinds := os.Getenv(Variable)
	if kinds == "" {
		kinds = "sqlite"
	}
	return strings.Split(kinds, ",")
}

// Empty makes an empty database of a kind, and returns its URL.
func Empty(t *testing.T, kind string) string {
	t.Helper()
	switch kind {
	case "sqlite":
		return "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	case "postgres":
		return Postgres(t).Empty(t)
	case "mariadb":
		return MariaDB(t).Empty(t)
	}
	t.Fatalf("%s names a kind of database %q; there are sqlite, postgres and mariadb", Variable, kind)
	return ""
}

// New makes an empty database of a kind, and returns its URL: for who is no test.
// The file of an SQLite database is in dir.
//
// Errors: ErrAbsent; what the server says.
func New(ctx context.Context, kind, dir string) (url string, err error) {
	get := map[string]func() (*Server, error){"postgres": postgres, "mariadb": mariaDB}[kind]
	switch {
	case kind == "sqlite":
		return "sqlite:" + filepath.Join(dir, "history.db"), nil
	case get == nil:
		return "", fmt.Errorf("there is no kind of database %q; there are sqlite, postgres and mariadb", kind)
	}
	s, err := get()
	if err != nil {
		return "", err
	}
	return s.empty(ctx)
}
