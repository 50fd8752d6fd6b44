package recordtest

import (
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// groups are all tests, by subject.
var groups = []struct {
	name  string
	tests []test
}{
	{"schema", schemaTests},
	{"rows", rowTests},
	{"transactions", transactionTests},
	{"locks", lockTests},
	{"errors", errorTests},
	{"space", spaceTests},
	{"recording", recordingTests},
	{"feed", feedTests},
}

// Run tests a driver with the databases that open returns. Each must be empty and unused;
// Run creates the schema and closes the database. A database in a file must be a new file
// each time.
func Run(t *testing.T, open func(t *testing.T) *sqldb.DB) {
	t.Helper()
	run(t, open, nil)
}

// run runs the tests, without those of some groups or names.
func run(t *testing.T, open func(t *testing.T) *sqldb.DB, without map[string]bool) {
	t.Helper()
	for _, group := range groups {
		if without[group.name] {
			continue
		}
		t.Run(group.name, func(t *testing.T) {
			for _, one := range group.tests {
				if !without[one.name] {
					t.Run(one.name, func(t *testing.T) { one.run(t, newDatabase(t, open)) })
				}
			}
		})
	}
}
