package jobindex

import (
	"time"

	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/state"
)

// Change is a change of a job that the index has applied.
type Change struct {
	// Position is that of the transition in the feed. A change that the index has found beside
	// the feed, such as other labels or a removal, has the position that the index had reached.
	Position feed.Position
	Kind     feed.Kind // Corrected for a change beside the feed
	// Before is the state of the row before the change. New says that there was no row.
	Before state.State
	New    bool
	// Row is the row after the change. If several transitions of a job came at once, all of
	// their changes have the row after the last one.
	Row Row
	// Seen is when the recorder saw the revision; zero if the transition was withdrawn, and for
	// changes beside the feed.
	Seen time.Time
	// Removed says that the job is not in the history any more. Row is the last one.
	Removed bool
}
