package recordtest_test

import (
	"os"
	"testing"

	"github.com/vedette-io/vedette/internal/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	os.Exit(code)
}
