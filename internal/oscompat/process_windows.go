package oscompat

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

func cpuTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	// It fails only for illegal arguments.
	_ = windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user)
	return duration(kernel) + duration(user)
}

// duration converts a number of 100 ns. Filetime.Nanoseconds would subtract an epoch.
func duration(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

func terminate(p *os.Process) error { return p.Kill() }
