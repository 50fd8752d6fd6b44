package recordtest_test

import (
	"testing"

	"github.com/vedette-io/vedette/platform/record/recordtest"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestDrivers runs the tests with the drivers of package sqldb.
func TestDrivers(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			recordtest.Run(t, func(t *testing.T) *sqldb.DB {
				db, err := sqldb.Open(t.Context(), dbtest.Empty(t, kind))
				if err != nil {
					t.Fatal(err)
				}
				return db
			})
		})
	}
}

// TestForeignDriver runs the tests with a driver that package sqldb does not know.
func TestForeignDriver(t *testing.T) {
	for _, kind := range dbtest.Kinds()[:1] {
		t.Run(kind, func(t *testing.T) {
			c := &calls{}
			recordtest.Run(t, func(t *testing.T) *sqldb.DB {
				url := dbtest.Empty(t, kind)
				inner, err := sqldb.DriverOf(url)
				if err != nil {
					t.Fatal(err)
				}
				db, err := sqldb.OpenWith(t.Context(), wrapped{inner, c}, url)
				if err != nil {
					t.Fatal(err)
				}
				return db
			})
			if c.n == 0 {
				t.Error("nothing went through the driver")
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	for name, driver := range map[string]sqldb.Driver{"postgres": sqldb.PostgreSQL(), "mysql": sqldb.MySQL()} {
		t.Run(name, func(t *testing.T) {
			recordtest.RunSecrets(t, driver, name+"://user:hunter2@127.0.0.1:1/history?password-file=", "hunter2")
		})
	}
}
