package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Limits of the program, above the values at the time of the last change. How much of the
// program is in memory at its start depends on the kernel.
const (
	programSize   = 94 << 20 // without symbols, as in a release
	programMemory = 64 << 20 // of `vedette version`: the initialization of all packages
)

// TestProgram fails if the program, or its memory at the start, grows. The time of a start is
// logged.
func TestProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vedette")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, "./cmd/vedette")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	version := exec.Command(file, "version")
	if out, err := version.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	memory := version.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("the program has %d MiB; it starts in %v, with %d MiB of memory", info.Size()>>20, took, memory>>20)
	if info.Size() > programSize || memory > programMemory {
		t.Errorf("got %d bytes, and %d bytes of memory, want at most %d and %d: if this is worth it, change the limit and explain why", info.Size(), memory, programSize, programMemory)
	}
}
