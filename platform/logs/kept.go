package logs

import (
	"context"
	"iter"

	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// Kept reads the logs that a recorder has kept, as a *joblog.Store does. Any number of
// goroutines may use it.
type Kept interface {
	// Of returns the logs of jobs, owners or pods, ordered by the start of their
	// containers.
	Of(ctx context.Context, of joblog.Selection) ([]joblog.Log, error)
	// Lines returns the lines of one of these logs, in their order.
	Lines(ctx context.Context, log joblog.Log) iter.Seq2[joblog.Line, error]
}
