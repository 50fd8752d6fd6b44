package store

import (
	"fmt"
	"time"
)

// ChangeKind is the kind of a change.
type ChangeKind uint8

const (
	// Added means that the object is new.
	Added ChangeKind = iota + 1
	// Updated means a new revision of the same object.
	Updated
	// Deleted means that the object no longer exists in the store.
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

// Cause is the reason for a change.
type Cause uint8

const (
	// Watched means that the server reported the change in a watch.
	Watched Cause = iota
	// Listed means that a list showed the change. A deletion with this cause was not
	// observed: the list had no such object, or another object of the same name.
	Listed
	// Initial means that the object was in the first list.
	Initial
	// Unwatched means that the scope of the object was removed, or that a filter no
	// longer selects the object. The object may still exist.
	Unwatched
	// Resynced means that nothing has changed and the object is delivered again.
	Resynced
)

// Change is one difference between two states of an object. It is a value.
type Change struct {
	Kind  ChangeKind
	Cause Cause
	came  bool // see CameAndWent
	// Folded is the number of further changes of the object that this change replaces. It
	// is 0 unless a subscriber of EveryChange had fallen behind. Latest does not count
	// folded changes.
	Folded uint32
	// Old is the state before the change; zero if Added. If CameAndWent, it is the last
	// state before the deletion.
	Old Entry
	// New is the state after the change. If Deleted, it is the last state, which the
	// server sent with the deletion, converted by Config.Transform; its version is the
	// version of the deletion. It is zero if the deletion was inferred, or if the last
	// state was unusable.
	New Entry
	// Seen is the time when the delta was read from the server, if the delta has one.
	Seen time.Time
}

// CameAndWent reports that the object was added and deleted while the subscriber was
// behind. The subscriber gets this one change for the object, as Deleted.
func (c *Change) CameAndWent() bool { return c.came }

// Missed reports that the store inferred the deletion without observing it, or that the
// last state was unusable.
func (c *Change) Missed() bool { return c.Kind == Deleted && c.New.IsZero() && c.Cause != Unwatched }

// Detached returns a copy of the change with detached entries; see Entry.Detached.
func (c Change) Detached() Change {
	c.Old, c.New = c.Old.Detached(), c.New.Detached()
	return c
}

// Last returns the last known state: New if it is set, else Old.
func (c *Change) Last() Entry {
	if c.New.IsZero() {
		return c.Old
	}
	return c.New
}
