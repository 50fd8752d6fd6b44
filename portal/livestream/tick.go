package livestream

import "sync"

// tick is what has arrived within one interval. Its frames are made once for all browsers
// that have the same sight.
type tick struct {
	from, to uint64 // numbers of entries
	position int64  // of the last change up to to
	beat     []byte // the last beat, and its number
	beatNo   int
	next     chan struct{}

	mu     sync.Mutex
	frames map[string][]byte // by the key of the sight
	bytes  int
}

// maxTickBytes bounds the frames that a tick keeps. Browsers beyond it make their own.
const maxTickBytes = 4 << 20

// frame returns the event with the changes of the tick that a sight sees; empty if it sees
// none. make makes it; it returns false if the log has forgotten the changes.
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

// newTick returns a tick whose next is open.
func newTick(from, to uint64, position int64) *tick {
	return &tick{from: from, to: to, position: position, next: make(chan struct{}), frames: map[string][]byte{}}
}
