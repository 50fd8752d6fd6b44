package sqldb_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// opened opens a database for the duration of a test.
func opened(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	return openedWith(t, driverOf(t, url), url)
}

// driverOf returns the driver of a database.
func driverOf(t *testing.T, url string) sqldb.Driver {
	t.Helper()
	if strings.HasPrefix(url, portableScheme) {
		return portable{}
	}
	driver, err := sqldb.DriverOf(url)
	if err != nil {
		t.Fatal(err)
	}
	return driver
}

// openedWith is opened with a driver.
func openedWith(t *testing.T, driver sqldb.Driver, url string) *sqldb.DB {
	t.Helper()
	d, err := sqldb.OpenWith(t.Context(), driver, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// migrated opens a database with the schema.
func migrated(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	d := opened(t, url)
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// transact runs f in a transaction that must succeed.
func transact(t *testing.T, d *sqldb.DB, f func(tx *sqldb.Tx) error) {
	t.Helper()
	if err := d.Transact(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// exec runs statements in one transaction.
func exec(t *testing.T, d *sqldb.DB, statements ...string) {
	t.Helper()
	transact(t, d, func(tx *sqldb.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(t.Context(), s); err != nil {
				return err
			}
		}
		return nil
	})
}

// number returns the integer that a query selects.
func number(t *testing.T, q sqldb.Querier, query string, args ...any) (n int64) {
	t.Helper()
	if err := q.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s failed: %v", query, err)
	}
	return n
}
