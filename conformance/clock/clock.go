package clock

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Clock is the wall clock of one or more processes.
type Clock struct {
	t    testing.TB
	file string
}

// New returns a clock that is not moved.
func New(t testing.TB) *Clock {
	t.Helper()
	c := &Clock{t, filepath.Join(t.TempDir(), "clock")}
	c.Move(0)
	return c
}

// Env is the environment variable of processes with this clock. They are built with
// Overlay.
func (c *Clock) Env() string { return variable + "=" + c.file }

// Move sets how far the clock is ahead of that of the machine, in whole seconds. A negative
// duration puts it behind.
func (c *Clock) Move(ahead time.Duration) {
	c.t.Helper()
	file, err := os.OpenFile(c.file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(ahead/time.Second)), 0); err != nil {
		c.t.Fatal(err)
	}
}
