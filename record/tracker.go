package record

import (
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/wire"
)

// tracked is the last known version of an existing object. The zero value means that the
// object does not exist.
type tracked struct {
	uid     string
	version wire.Version
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
	coverage model.Coverage    // coverage of this recorder; its ID is 0 before the first list
}

// newTracker returns a tracker of a scope that is covered up to a version. An end of 0
// means that the scope was never covered.
func newTracker(end wire.Version, at time.Time) *tracker {
	return &tracker{objects: map[wire.Key]tracked{}, reached: end, covered: end > 0, end: end, endAt: at}
}

// set stores an object, or removes one that does not exist.
func (t *tracker) set(key wire.Key, one tracked) {
	if one.uid == "" {
		delete(t.objects, key)
	} else {
		t.objects[key] = one
	}
}
