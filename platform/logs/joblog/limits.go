package joblog

import (
	"cmp"
	"fmt"
)

// Limits are the maximum sizes of kept logs. A zero field means the default.
type Limits struct {
	// Lines is the maximum number of lines of a log; the last lines are kept. Default
	// 2,000.
	Lines int
	// PerLog is the maximum text of a log in bytes. Default 1 MiB.
	PerLog int64
	// PerJob is the maximum compressed size of the logs of a job, in bytes. If they are
	// larger, the logs that ended first are shortened or removed. Default 64 MiB.
	PerJob int64
	// Total is the same for all logs of the database. Default 4 GiB.
	Total int64
}

// withDefaults returns limits with their defaults.
func (l Limits) withDefaults() Limits {
	l.Lines, l.PerLog = cmp.Or(l.Lines, 2000), cmp.Or(l.PerLog, 1<<20)
	l.PerJob, l.Total = cmp.Or(l.PerJob, 64<<20), cmp.Or(l.Total, 4<<30)
	return l
}

// Check returns an error if a limit is negative, too small or too large.
func (l Limits) Check() error {
	l = l.withDefaults()
	switch {
	case l.Lines < 1 || l.Lines > 1_000_000:
		return fmt.Errorf("kept logs: %d lines of each log: use 1 to 1000000", l.Lines)
	case l.PerLog < 2*maxLine || l.PerLog > 64<<20:
		return fmt.Errorf("kept logs: %d bytes of each log: use 32KiB to 64MiB", l.PerLog)
	case l.PerJob < 1 || l.Total < 1:
		return fmt.Errorf("kept logs: %d bytes of each job and %d in all: use positive numbers", l.PerJob, l.Total)
	}
	return nil
}
