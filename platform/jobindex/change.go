package jobindex

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
)

// Change is a change of a job that the index has applied.
type Change struct {
	// Position is the position of the transition in the feed. A change that the index has
	// found outside of the feed, such as other labels or a removal, has the current
	// position of the index.
	Position feed.Position
	Kind     feed.Kind // Corrected for a change outside of the feed
	// Before is the state of the row before the change. New is set if there was no row.
	Before job.State
	New    bool
	// Row is the row after the change. If several transitions of a job are applied
	// together, all of their changes have the row after the last one.
	Row Row
	// Seen is when the recorder saw the revision; zero if the transition was withdrawn,
	// and for changes outside of the feed.
	Seen time.Time
	// Removed is set if the job is no longer in the history. Row is the last one.
	Removed bool
}
