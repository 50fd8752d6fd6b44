package retention_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
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

// database is a database of a test.
type database struct {
	*testing.T
	*modeltest.Database
	url string
}

func open(t *testing.T, url string) *database {
	t.Helper()
	return &database{t, modeltest.Open(t, url), url}
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, d *database)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(t, open(t, url)) })
}
