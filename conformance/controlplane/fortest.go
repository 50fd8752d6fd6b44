package controlplane

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// ForTest starts a control plane of the test's own, on free ports and in a temporary
// folder, and stops it with the test. It builds missing programs, and fails the test if
// that is not possible. If the test fails, it logs the ends of the logs.
func ForTest(t testing.TB, opts Options) *Cluster {
	t.Helper()
	testinput.Uncached(t) // the programs, and the modules that they are built from
	bins, err := Build(t.Context(), Version(), os.Stderr)
	if err != nil {
		t.Fatalf("build the control plane: %v", err)
	}
	c, err := Start(t.Context(), bins, opts)
	if err != nil {
		t.Fatalf("start the control plane: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.showLogs(t)
		}
		c.Stop()
	})
	return c
}

func (c *Cluster) showLogs(t testing.TB) {
	logs, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
	for _, path := range logs {
		log, err := os.ReadFile(path)
		t.Logf("the end of %s: %v\n%s", filepath.Base(path), err, tail(log))
	}
}
