package historytest

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// Database is a database with one cluster, whose UID is "uid-a", and one type, jobs.batch.
type Database = modeltest.Database

// Revision is a revision to write. The state Deleted means that the object was deleted.
type Revision = modeltest.Revision

// Open opens an empty database and creates the schema. The database is closed at the end of
// the test.
func Open(t testing.TB, url string) *Database {
	t.Helper()
	return modeltest.Open(t, url)
}

// Seen returns the time at which Database.Write records that a version was seen.
func Seen(version wire.Version) time.Time { return modeltest.Seen(version) }
