package retention

import (
	"fmt"

	"github.com/vedette-io/vedette/record/joblog"
	"github.com/vedette-io/vedette/record/sqldb"
)

// Result counts what was removed.
type Result struct {
	// Objects is the number of objects that were removed with their whole history.
	Objects int
	// Revisions and Transitions are numbers of deleted rows. Stripped revisions lost their
	// bodies.
	Revisions, Transitions, Stripped int
	// Bytes is approximately what all of them took.
	Bytes int64
	// Coverage is the number of deleted rows of coverage and of healed gaps.
	Coverage int
	// Logs are the kept logs that were removed, by age and with their objects.
	Logs joblog.Removed
	// Feed is the number of deleted rows of the feed.
	Feed int
	// Expired are the names of cursors of the feed that nobody has used for
	// Policy.CursorIdle. Transitions that they have not read are kept no longer.
	Expired []string
	// Busy says that another process prunes the database. Nothing was done.
	Busy bool
	// Size is the size of the database afterwards.
	Size sqldb.Size
	// Excess is by how many bytes the database exceeds Policy.MaxBytes. The rest is needed
	// or younger than an hour. For Preview it is the excess before anything is removed for
	// its size.
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

// empty reports whether a step has removed nothing.
func (r *Result) empty() bool {
	return r.Objects+r.Revisions+r.Transitions+r.Stripped == 0 && r.Bytes == 0
}

// add adds what a step has removed.
func (r *Result) add(other Result) {
	r.Objects, r.Revisions, r.Transitions = r.Objects+other.Objects, r.Revisions+other.Revisions, r.Transitions+other.Transitions
	r.Stripped, r.Bytes = r.Stripped+other.Stripped, r.Bytes+other.Bytes
	r.Logs.Logs, r.Logs.Bytes = r.Logs.Logs+other.Logs.Logs, r.Logs.Bytes+other.Logs.Bytes
}
