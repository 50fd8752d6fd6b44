package recordtest

import (
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Run tests a driver with the databases that open returns. Each must be empty and unused;
// Run creates the schema and closes the database. A database in a file must be a new file
// each time.
func Run(t *testing.T, open func(t *testing.T) *sqldb.DB) {
	t.Helper()
	for _, group := range []struct {
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
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, one := range group.tests {
				t.Run(one.name, func(t *testing.T) { one.run(t, newDatabase(t, open)) })
			}
		})
	}
}
