package oscompat

import (
	"os"
	"time"
)

// CPUTime returns the CPU time of this process, in user and system mode. Unlike elapsed
// time, it does not depend on other processes.
func CPUTime() time.Duration { return cpuTime() }

// Terminate asks a process to end, with SIGTERM. On Windows, which has no such signal for
// other processes, it ends the process.
//
// Errors: os.ErrProcessDone.
func Terminate(p *os.Process) error { return terminate(p) }
