package livestream

import (
	"sort"
	"time"
)

// entry is a change in the log, serialized once for all browsers.
type entry struct {
	position   int64
	cluster    string
	clusterUID string
	typ        string
	namespace  string
	created    time.Time
	removed    bool
	data       []byte
	bare       []byte // data without what pods show; nil: data has nothing of them
}

// size returns the bytes of an entry.
func (e *entry) size() int { return entryBytes + len(e.data) + len(e.bare) }

// entryBytes is the approximate memory of an entry without its data.
const entryBytes = 200

// ring is a bounded log that drops the oldest entries. Entries have consecutive numbers. The caller
// holds the lock.
type ring struct {
	entries  []entry // the first len is a power of two
	mask     uint64
	from, to uint64 // the numbers of the first entry, and of the next one
	bytes    int
	maxBytes int
	// floor is the position after which the ring is complete.
	floor int64
}

// newRing returns a ring for at most count entries, which is a power of two.
func newRing(count, maxBytes int) *ring {
	return &ring{entries: make([]entry, count), mask: uint64(count - 1), maxBytes: maxBytes}
}

// push adds an entry, and drops the oldest ones if there are too many.
func (r *ring) push(e entry) {
	for r.to-r.from == uint64(len(r.entries)) || r.bytes+e.size() > r.maxBytes && r.to > r.from {
		r.drop()
	}
	r.entries[r.to&r.mask] = e
	r.to++
	r.bytes += e.size()
}

func (r *ring) drop() {
	e := &r.entries[r.from&r.mask]
	r.floor, r.bytes = e.position, r.bytes-e.size()
	*e = entry{}
	r.from++
}

// clear drops all entries. The ring is then complete after a position.
func (r *ring) clear(floor int64) {
	for r.from < r.to {
		r.drop()
	}
	r.floor = floor
}

// at returns an entry by its number, which must be in [from, to). The pointer is valid while the
// lock is held.
func (r *ring) at(number uint64) *entry { return &r.entries[number&r.mask] }

// head returns the position of the last entry, or the floor.
func (r *ring) head() int64 {
	if r.to == r.from {
		return r.floor
	}
	return r.at(r.to - 1).position
}

// behind returns the number of the first entry after a position. ok is false if entries after the
// position may have been dropped.
func (r *ring) behind(position int64) (number uint64, ok bool) {
	if position < r.floor {
		return 0, false
	}
	n := sort.Search(int(r.to-r.from), func(i int) bool { return r.at(r.from+uint64(i)).position > position })
	return r.from + uint64(n), true
}
