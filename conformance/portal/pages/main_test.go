package pages_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/gobuild"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		gobuild.Clean()
		os.Exit(code)
	}))
}
