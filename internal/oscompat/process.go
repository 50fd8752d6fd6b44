package oscompat

import (
	"os"
	"time"
)

// CPUTime returns the CPU time that this process has used, in user and system mode. Unlike
// the time of a clock, it does not depend on what else the machine does.
func CPUTime() time.Duration { return cpuTime() }

// Terminate asks a process to end, with SIGTERM. On Windows, which has no such signal for
// other processes, it ends the process.
//
// Errors: os.ErrProcessDone.
func Terminate(p *os.Process) error { return terminate(p) }
