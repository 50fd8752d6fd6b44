package store

import (
	"fmt"
	"time"
)

// ChangeKind says what became of an object.
type ChangeKind uint8

const (
	// Added: it was not there before.
	Added ChangeKind = iota + 1
	// Updated: it is another revision of the same object.
	Updated
	// Deleted: it is gone.
	Deleted
)

// String returns the name of the kind.
func (k ChangeKind) String() string {
	switch k {
	case Added:
		return "Added"
	case Updated:
		return "Updated"
	case Deleted:
		return "Deleted"
	}
	return fmt.Sprintf("ChangeKind(%d)", uint8(k))
}

// Cause says how the store learned of a change.
type Cause uint8

const (
	// Watched: the server reported it.
	Watched Cause = iota
	// Listed: it was found in a list. A deletion was missed: the object was
	// gone, or another one stood in its place.
	Listed
	// Initial: the object is of the first list.
	Initial
	// Unwatched: the scope of the object was removed, or it is not what a filter
	// selects any more. Whether it still exists is not known.
	Unwatched
	// Resynced: nothing has happened; the object is told of again.
	Resynced
)

// Change is one object's step from one state to the next. It is a value.
type Change struct {
	Kind  ChangeKind
	Cause Cause
	came  bool // and went, see CameAndWent
	// Folded is how many more changes of the object this change stands for. It is 0
	// unless the subscriber of EveryChange had fallen behind. Latest does not count it.
	Folded uint32
	// Old is the state before the change; zero if Added. If CameAndWent, it is the last
	// state before the deletion.
	Old Entry
	// New is the state after the change. If Deleted, it is the last state, which the
	// server sent with the deletion, in the form that Config.Transform gives it; its
	// version is that of the deletion. It is zero if the deletion itself was not seen,
	// or came with an unusable state.
	New Entry
	// Seen is when it was read from the server, where the delta told.
	Seen time.Time
}

// CameAndWent reports that the object was added and deleted while the subscriber was
// behind. The subscriber gets this one change for the object, as Deleted.
func (c *Change) CameAndWent() bool { return c.came }

// Missed reports that the store inferred the deletion without seeing it, or that the
// last state was not seen because it came in an unusable form.
func (c *Change) Missed() bool { return c.Kind == Deleted && c.New.IsZero() && c.Cause != Unwatched }

// Detached returns a copy of the change with detached entries; see Entry.Detached.
func (c Change) Detached() Change {
	c.Old, c.New = c.Old.Detached(), c.New.Detached()
	return c
}

// Last returns the last known state: New where there is one, else Old.
func (c *Change) Last() Entry {
	if c.New.IsZero() {
		return c.Old
	}
	return c.New
}
