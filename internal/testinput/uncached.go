package testinput

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// marker is a file in the root of the module, which git ignores. It was last modified in
// the far future.
const marker = ".uncached"

// Uncached prevents the go command from storing or using results of the calling test
// binary. Call it from each test that starts a program (itself included), runs the go
// command, or reads files outside of its module.
//
// The go command never caches a test that has read a file of the module younger than two
// seconds, and a file from the future stays that young (cmd/go/internal/test, hashOpen).
func Uncached(tb testing.TB) {
	tb.Helper()
	root, err := moduleRoot()
	if err != nil {
		tb.Fatalf("this test cannot be excluded from the test cache: %v", err)
	}
	if err := touch(filepath.Join(root, marker)); err != nil {
		tb.Fatalf("this test cannot be excluded from the test cache: %v", err)
	}
}

// touch sets the time of a file, which it creates if necessary, and opens it.
func touch(name string) error {
	future := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	if info, err := os.Stat(name); err == nil && info.ModTime().Equal(future) {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		return f.Close()
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Chtimes(name, future, future)
}

// moduleRoot returns the closest folder with a go.mod file, from the current folder upward.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir, nil
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return "", err
	}
}
