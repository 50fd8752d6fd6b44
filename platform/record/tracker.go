package record

import (
	"encoding/binary"
	"time"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/wire"
)

// tracked is the last known version of an existing object, and the content that the server
// has shown at that version. The zero value means that the object does not exist.
type tracked struct {
	uid     string
	version wire.Version
	content content
}

// content distinguishes the bodies of an object: the beginning of the hash of the stored
// form. The last bit says that the version of the revision is not that of the object. 0 means
// that the content is not known.
type content uint64

const reshown content = 1

// contentOf returns the content that has a hash.
func contentOf(hash [16]byte) content {
	return max(content(binary.LittleEndian.Uint64(hash[:]))&^reshown, 2)
}

// contentOfObservation returns the content of an observation.
func contentOfObservation(o *observe.Observation) content {
	if o.Prepared.Size > 0 {
		return contentOf(o.Prepared.Hash)
	}
	return contentOf(bodies.HashOf(o.Body))
}

// same reports whether two contents are the same, or one of them is not known.
func (c content) same(other content) bool {
	return c == 0 || other == 0 || c&^reshown == other&^reshown
}

// trackedAs returns the last revision of an object as the database has it.
func trackedAs(t *model.Tracked) tracked {
	one := tracked{uid: t.UID, version: t.Version}
	if len(t.Content) == len([16]byte{}) {
		one.content = contentOf([16]byte(t.Content))
	}
	if t.Source == model.Reshown {
		one.content |= reshown
	}
	return one
}

// tracker holds the recorder's knowledge of its scope. It changes only after a batch is
// committed, so it never runs ahead of the database.
type tracker struct {
	objects  map[wire.Key]tracked
	listed   map[wire.Key]bool // keys of an incomplete list so far; nil outside a list
	reached  wire.Version      // version that the watch has reached
	covered  bool              // a recorder has covered this scope before,
	end      wire.Version      // up to this version,
	endAt    time.Time         // at this time
	base     wire.Version      // base of the versions of the deltas
	endBase  wire.Version      // base of end; less than base until the first list after a loss of versions is complete
	held     []heldRevision    // reshown revisions that wait for a later version
	coverage model.Coverage    // coverage of this recorder; its ID is 0 before the first list
}

// newTracker returns a tracker of a scope that is covered up to a resume point.
func newTracker(p model.ResumePoint) *tracker {
	return &tracker{objects: map[wire.Key]tracked{}, reached: p.Version, covered: p.Version > 0, end: p.Version, endAt: p.At, base: p.Base, endBase: p.Base}
}

// set stores an object, or removes one that does not exist.
func (t *tracker) set(key wire.Key, one tracked) {
	if one.uid == "" {
		delete(t.objects, key)
	} else {
		t.objects[key] = one
	}
}
