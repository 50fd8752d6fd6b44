//go:build !windows

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe: a named pipe, which could block, is refused.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := environment(nil)
	v := newVault(filepath.Join(dir, "f.yaml"), &o)
	if _, err := v.fromFile("./pipe"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v, want an error that says that it is not a regular file", err)
	}
}
