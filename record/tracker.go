package record

import (
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/wire"
)

// tracked is what the recorder remembers of an object that exists. The zero value stands
// for an object that does not.
type tracked struct {
	uid     string
	version wire.Version
}

// tracker is what the recorder remembers of its scope. It changes only when a batch is
// committed, so it never knows more than the database.
type tracker struct {
	objects  map[wire.Key]tracked
	listed   map[wire.Key]bool // the keys of an incomplete list so far; nil outside of a list
	reached  wire.Version      // the version up to which the watch has come
	covered  bool              // a recorder has covered this scope before,
	end      wire.Version      // up to this version,
	endAt    time.Time         // at this time
	coverage model.Coverage    // the interval of this recorder; its ID is 0 before the first
}

// newTracker returns a tracker of a scope that is covered up to a version; 0 if it was
// never covered.
func newTracker(end wire.Version, at time.Time) *tracker {
	return &tracker{objects: map[wire.Key]tracked{}, reached: end, covered: end > 0, end: end, endAt: at}
}

// set remembers an object, or forgets one that does not exist.
func (t *tracker) set(key wire.Key, one tracked) {
	if one.uid == "" {
		delete(t.objects, key)
	} else {
		t.objects[key] = one
	}
}
