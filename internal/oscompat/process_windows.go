package oscompat

import (
	"os"
	"syscall"
	"time"
)

func cpuTime() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	// Both fail only for illegal arguments.
	this, _ := syscall.GetCurrentProcess()
	_ = syscall.GetProcessTimes(this, &created, &exited, &kernel, &user)
	return duration(kernel) + duration(user)
}

// duration converts a number of 100 ns. Filetime.Nanoseconds would subtract an epoch.
func duration(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

func terminate(p *os.Process) error { return p.Kill() }
