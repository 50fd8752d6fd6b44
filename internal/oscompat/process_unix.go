//go:build !windows

package oscompat

import (
	"os"
	"syscall"
	"time"
)

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails only for illegal arguments
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
