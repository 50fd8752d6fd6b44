package retention

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Result counts what Prune removed.
type Result struct {
	// Objects is the number of objects that were removed with their whole history.
	Objects int
	// Revisions and Transitions are the numbers of deleted rows. Stripped is the number of
	// revisions that lost their bodies.
	Revisions, Transitions, Stripped int
	// Bytes is the approximate size of the removed rows.
	Bytes int64
	// Coverage is the number of deleted rows of coverage and of healed gaps.
	Coverage int
	// Logs are the removed kept logs, by age and with their objects.
	Logs joblog.Removed
	// Feed is the number of deleted rows of the feed.
	Feed int
	// Expired are the names of the cursors of the feed that were idle for
	// Policy.CursorIdle. Retention no longer preserves transitions for them.
	Expired []string
	// Busy means that another process prunes the database, and that this call did nothing.
	Busy bool
	// Size is the size of the database afterward.
	Size sqldb.Size
	// Excess is the number of bytes by which the database exceeds Policy.MaxBytes. The
	// excess is needed or younger than an hour. For Preview it is the excess before any
	// removal because of the size.
	Excess int64
}

// String returns "3 objects, 40 revisions, the bodies of 12 others, …".
func (r Result) String() string {
	text := fmt.Sprintf("%d objects, %d revisions, the bodies of %d others, %d transitions, %d rows of coverage and gaps", r.Objects, r.Revisions, r.Stripped, r.Transitions, r.Coverage)
	if r.Logs.Logs > 0 {
		text += fmt.Sprintf(", %d kept logs", r.Logs.Logs)
	}
	return text
}

// empty reports whether a step removed nothing.
func (r *Result) empty() bool {
	return r.Objects+r.Revisions+r.Transitions+r.Stripped == 0 && r.Bytes == 0
}

// add adds the result of a step.
func (r *Result) add(other Result) {
	r.Objects, r.Revisions, r.Transitions = r.Objects+other.Objects, r.Revisions+other.Revisions, r.Transitions+other.Transitions
	r.Stripped, r.Bytes = r.Stripped+other.Stripped, r.Bytes+other.Bytes
	r.Logs.Logs, r.Logs.Bytes = r.Logs.Logs+other.Logs.Logs, r.Logs.Bytes+other.Logs.Bytes
}
