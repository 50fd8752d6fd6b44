package portal_test

import (
	"os"
	"testing"

	"github.com/vedette-io/vedette/bench/portal"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	portal.Start = portal.StartInside
	code := m.Run()
	dbtest.Stop()
	os.Exit(code)
}
