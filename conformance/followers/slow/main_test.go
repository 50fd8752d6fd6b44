package slow_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/controlplane"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }
