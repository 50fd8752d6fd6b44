package portal_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/controlplane"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, controlplane.IgnoreSpawner(), goleak.Cleanup(func(code int) {
		if built != "" {
			_ = os.RemoveAll(built)
		}
		os.Exit(code)
	}))
}
