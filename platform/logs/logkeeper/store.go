package logkeeper

import (
	"context"

	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// Store stores logs. *joblog.Store implements it.
type Store interface {
	// Put adds lines to a log. It is called again with the same log and lines after an error.
	Put(ctx context.Context, log joblog.Log, lines []joblog.Line) error
	// Of returns the logs of pods.
	Of(ctx context.Context, of joblog.Selection) ([]joblog.Log, error)
}
