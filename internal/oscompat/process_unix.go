//go:build !windows

package oscompat

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func cpuTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // it fails only for illegal arguments
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func terminate(p *os.Process) error { return p.Signal(unix.SIGTERM) }
