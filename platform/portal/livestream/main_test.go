package livestream

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also runs the browsers' process of BenchmarkStreams.
func TestMain(m *testing.M) {
	if address := os.Getenv(browsersEnv); address != "" {
		os.Exit(browse(address))
	}
	goleak.VerifyTestMain(m)
}
