package portal_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	for _, folder := range built {
		_ = os.RemoveAll(folder)
	}
	if code == 0 {
		if err := goleak.Find(controlplane.IgnoreSpawner()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
