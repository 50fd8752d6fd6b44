package livestream

import (
	"encoding/json"
	"sync"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// tick has the changes of one interval. Browsers with the same sight share its frames.
type tick struct {
	from, to uint64   // numbers of entries
	position int64    // of the last change before to
	beat     api.Beat // the last beat and its number
	beatNo   int
	next     chan struct{}

	mu     sync.Mutex
	frames map[string][]byte // by the key of the sight
	bytes  int
}

// maxTickBytes is the maximum size of the frames that a tick keeps. Beyond it, browsers make frames
// of their own.
const maxTickBytes = 4 << 20

// frame returns the event with the changes of the tick that are in a sight; empty if there are
// none. It calls make if the frame does not exist yet; make returns false if the changes are no
// longer in the log.
func (t *tick) frame(sight string, make func() ([]byte, bool)) ([]byte, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.frames[sight]
	if ok {
		return f, true
	}
	if f, ok = make(); ok && t.bytes+len(f) <= maxTickBytes {
		t.bytes += len(f)
		t.frames[sight] = f
	}
	return f, ok
}

// beatOf returns the last beat as a person may see it.
func (t *tick) beatOf(s Sight) []byte {
	f, _ := t.frame("beat "+s.Key(), func() ([]byte, bool) { return serialize(seenBeat(t.beat, s)), true })
	return f
}

// seenBeat returns a beat without the clusters that a person may not see.
func seenBeat(b api.Beat, s Sight) api.Beat {
	var some []api.Unrecorded
	for _, u := range b.Unrecorded {
		if s.All() || u.Cluster == "" || s.SeesCluster(u.Cluster) {
			some = append(some, u)
		}
	}
	b.Unrecorded = some
	return b
}

// newTick returns a tick whose channel next is open.
func newTick(from, to uint64, position int64) *tick {
	return &tick{from: from, to: to, position: position, next: make(chan struct{}), frames: map[string][]byte{}}
}

func serialize(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // these types can always be encoded
		return []byte("{}")
	}
	return b
}
