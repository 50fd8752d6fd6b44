package logs

import (
	"context"
	"iter"
	"time"
)

// Kept reads the logs that a recorder has kept. Any number of goroutines may use it.
type Kept interface {
	// Logs returns the logs of all containers of a job's pods, in any order.
	Logs(ctx context.Context, job Job) ([]KeptLog, error)
	// Lines returns the lines of one of these logs, in their order. Only Time, Text and
	// Note are set.
	Lines(ctx context.Context, log KeptLog) iter.Seq2[Line, error]
}

// KeptLog is one log in the database: that of one run of one container.
type KeptLog struct {
	// ID is what the database knows the log by.
	ID int64
	// Pod, PodUID, Container and Restart name the run.
	Pod, PodUID, Container string
	Restart                int
	// OwnerUID is the UID of the pod's controller, and OwnerKind its kind.
	OwnerUID, OwnerKind string
	// Started and Ended are the times of the run. Ended is zero while it is running.
	Started, Ended time.Time
	// ExitCode and Reason say how the run ended.
	ExitCode int
	Reason   string
	// Lines is how many lines are kept, and LostLines how many are known to be missing.
	Lines, LostLines int
	// Lost says why something is missing, "" if the log is complete.
	Lost string
	// Fetched is when the lines were read from the node.
	Fetched time.Time
}
