package retention

import (
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/wire"
)

// object holds the properties of an object that decisions about its revisions depend on.
type object struct {
	last           wire.Version // version of the last revision
	base           wire.Version // version of the keyframe of the next differences, which stays
	floor          wire.Version // revisions from this version on stay
	deleted        bool
	state          job.State // of a deleted object: the state before the deletion
	namespace      string
	labels         map[string]string // if a rule selects by labels
	lastTransition wire.Version
	unread         wire.Version // first transition that a live cursor of the feed has not read; 0: none
}

// read reports whether live cursors of the feed have read the transitions of a revision:
// those at its version or earlier.
func (o *object) read(version wire.Version) bool { return o.unread == 0 || version < o.unread }
