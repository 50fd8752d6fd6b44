package livestream

import "sort"

// entry is a change in the log, serialized once for all browsers.
type entry struct {
	position  int64
	cluster   string
	typ       string
	namespace string
	removed   bool
	data      []byte
}

// size returns the bytes of an entry.
func (e *entry) size() int { return entryBytes + len(e.data) }

// entryBytes is about what an entry takes besides its data.
const entryBytes = 160

// ring is a log of entries, of which it forgets the oldest. Entries have consecutive
// numbers. The caller locks it.
type ring struct {
	entries  []entry // the first len is a power of two
	mask     uint64
	from, to uint64 // the numbers of the first entry, and of the next one
	bytes    int
	maxBytes int
	// floor is the position behind which the ring has everything.
	floor int64
}

// newRing returns a ring for at most count entries, which is a power of two.
func newRing(count, maxBytes int) *ring {
	return &ring{entries: make([]entry, count), mask: uint64(count - 1), maxBytes: maxBytes}
}

// push adds an entry, and forgets the oldest ones if there are too many.
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

// clear forgets everything. The ring then has everything behind a position.
func (r *ring) clear(floor int64) {
	for r.from < r.to {
		r.drop()
	}
	r.floor = floor
}

// at returns the entry with a number from from to before to. The pointer is valid until the
// lock ends.
func (r *ring) at(number uint64) *entry { return &r.entries[number&r.mask] }

// head returns the position of the last entry, or the floor.
func (r *ring) head() int64 {
	if r.to == r.from {
		return r.floor
	}
	return r.at(r.to - 1).position
}

// behind returns the number of the first entry behind a position. ok is false if entries
// behind the position may have been forgotten.
func (r *ring) behind(position int64) (number uint64, ok bool) {
	if position < r.floor {
		return 0, false
	}
	n := sort.Search(int(r.to-r.from), func(i int) bool { return r.at(r.from+uint64(i)).position > position })
	return r.from + uint64(n), true
}
