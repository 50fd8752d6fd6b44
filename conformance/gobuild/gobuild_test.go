package gobuild_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/gobuild"
)

// TestProgram: two builds of unchanged sources are one file, so the second one links nothing.
func TestProgram(t *testing.T) {
	compiled, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(compiled)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // on the file system of the programs' folders
	var all []os.FileInfo
	for range 2 {
		path := gobuild.Program(t, "./platform/portal/ui/build")
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info)
		if out, err := exec.CommandContext(t.Context(), path, "-h").CombinedOutput(); !strings.Contains(string(out), "Usage") {
			t.Errorf("the program does not start: %v: %s", err, out)
		}
	}
	if !os.SameFile(all[0], all[1]) {
		t.Error("unchanged sources were built twice")
	}
}
