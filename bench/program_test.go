package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
)

// Limits of the program, 10% above the values at the time of the last change.
const (
	programSize = 94 << 20  // without symbols, as in a release
	programInit = 5_000_000 // bytes that the initialization of all packages allocates
)

// initialized is a line of GODEBUG=inittrace=1.
var initialized = regexp.MustCompile(`(?m)^init .* clock, (\d+) bytes, \d+ allocs$`)

// TestProgram fails if the program, or what it allocates at its start, grows by 10%. The time
// of a start is logged.
func TestProgram(t *testing.T) {
	testinput.Uncached(t)
	file := filepath.Join(t.TempDir(), "vedette")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "./cmd/vedette")
	build.Dir, build.Env = "..", append(os.Environ(), "GOWORK=auto") // the bench runs without go.work
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	version := exec.Command(file, "version")
	var trace bytes.Buffer
	version.Env, version.Stderr = append(os.Environ(), "GODEBUG=inittrace=1"), &trace
	began := time.Now()
	if err := version.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &trace)
	}
	took := time.Since(began)
	allocated := 0
	for _, line := range initialized.FindAllSubmatch(trace.Bytes(), -1) {
		n, _ := strconv.Atoi(string(line[1])) // the expression matches only digits
		allocated += n
	}
	t.Logf("the program has %d MiB; it starts in %v, and allocates %d KiB", info.Size()>>20, took, allocated>>10)
	if info.Size() > programSize || allocated > programInit || allocated == 0 {
		t.Errorf("got %d bytes, and %d bytes allocated, want at most %d and %d: if this is worth it, change the limit and explain why", info.Size(), allocated, programSize, programInit)
	}
}
