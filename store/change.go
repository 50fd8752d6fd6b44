package store

import (
	"fmt"

	"github.com/vedette-io/vedette/wire"
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

// Change is one object's step from one state to the next. The records are
// shared and must not be written to.
type Change struct {
	Kind ChangeKind
	// Old is the state before; nil if Added.
	Old *wire.Record
	// New is the state after. If Deleted it is the last state as the server
	// sent it with the deletion, whose version it has; nil if Missed.
	New *wire.Record
	// Missed: the deletion itself was not seen. The object was found gone in a
	// list, or another one in its place.
	Missed bool
	// Initial: the object is of the first list.
	Initial bool
}

// Last returns the last known state: New where there is one, else Old.
func (c *Change) Last() *wire.Record {
	if c.New != nil {
		return c.New
	}
	return c.Old
}
