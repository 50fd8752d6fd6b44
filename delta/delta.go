package delta

import (
	"fmt"

	"github.com/vedette-io/vedette/wire"
)

// Kind says what a delta does.
type Kind uint8

const (
	// Upsert puts Record in the place of what has its key.
	Upsert Kind = iota + 1
	// Delete removes what has the key of Record, whose version is that of the
	// deletion.
	Delete
	// Bookmark advances the version: everything up to it has been sent.
	Bookmark
	// Begin starts a replacement of everything.
	Begin
	// End completes the replacement that Begin started, as of Version.
	End
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Upsert:
		return "Upsert"
	case Delete:
		return "Delete"
	case Bookmark:
		return "Bookmark"
	case Begin:
		return "Begin"
	case End:
		return "End"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Delta is one change on its way. It is a value; its record is immutable.
type Delta struct {
	Kind Kind
	// Version is the version that is reached with this delta: that of the
	// record, the bookmark, or the list. Zero on Begin.
	Version wire.Version
	// Record is the object of Upsert and Delete.
	Record wire.Record
}

// size is what the delta counts against Limits.Bytes.
func (d *Delta) size() int { return len(d.Record.Body) }

// Batch is a run of deltas in order.
type Batch []Delta
