package upstream_test

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/suites/upstream"
	"github.com/vedette-io/vedette/internal/testinput"
)

var (
	engines = flag.String("engines", "ours", "engines of the copied tests")
	count   = flag.Int("times", 1, "how many times the copied tests run")
	race    = flag.Bool("racy", false, "run the copied tests with the race detector")
)

func TestToolsCache(t *testing.T)       { run(t, upstream.ToolsCache) }
func TestDynamicInformer(t *testing.T)  { run(t, upstream.DynamicInformer) }
func TestMetadataInformer(t *testing.T) { run(t, upstream.MetadataInformer) }
func TestWorkQueue(t *testing.T)        { run(t, upstream.WorkQueue) }
func TestWorkQueueInside(t *testing.T)  { run(t, upstream.WorkQueueInside) }

// run runs a suite with each engine.
func run(t *testing.T, suite upstream.Suite) {
	for _, e := range upstream.Engines(*engines) {
		t.Run(string(e), func(t *testing.T) { runCopy(t, generate(t, suite, e), *count) })
	}
}

// root is the folder of this module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func generate(t *testing.T, suite upstream.Suite, e upstream.Engine) *upstream.Copy {
	t.Helper()
	testinput.Uncached(t) // it copies tests of other modules, and runs the go command
	copied, err := suite.Generate(root(t), e)
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

// runCopy runs copied tests a number of times in one process.
func runCopy(t *testing.T, copied *upstream.Copy, times int, env ...string) {
	t.Helper()
	start := time.Now()
	failed, err := copied.Run(root(t), upstream.How{Count: times, Race: *race, Limit: 5 * time.Minute, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tests, %d times, in %s; specs: %d passed, %d skipped", len(copied.Tests), times,
		time.Since(start).Round(time.Second), copied.Passed, copied.Skipped)
	if len(copied.Shaken) > 0 {
		t.Logf("shaky tests that were repeated: %q", copied.Shaken)
	}
	if len(failed) > 0 {
		t.Errorf("%d failed:\n%s", len(failed), upstream.Failures(failed, 4000))
	}
}
