package delta

import (
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/wire"
)

// EntryKind says what an Entry tells.
type EntryKind uint8

const (
	// Added: the object came to be.
	Added EntryKind = iota + 1
	// Updated: the object has a new state.
	Updated
	// Deleted: the object is gone.
	Deleted
	// Replaced: the object is in the list of a Replace.
	Replaced
	// Sync: the consumer's own state of the object, once more. It is no word of
	// the server, thus no proof that the object is still there.
	Sync
	// Bookmarked: all that was put in before this entry has been processed, up to
	// Version. It comes alone, with the zero key.
	Bookmarked
	// ReplacedEnd: the list of a Replace is complete, as of Version, and all that
	// was put in before this entry has been processed. It comes alone, with the
	// zero key. What to do then is said at Coalesced.Replace.
	ReplacedEnd
)

// String returns the name of the kind.
func (k EntryKind) String() string {
	switch k {
	case Added:
		return "Added"
	case Updated:
		return "Updated"
	case Deleted:
		return "Deleted"
	case Replaced:
		return "Replaced"
	case Sync:
		return "Sync"
	case Bookmarked:
		return "Bookmarked"
	case ReplacedEnd:
		return "ReplacedEnd"
	}
	return fmt.Sprintf("EntryKind(%d)", uint8(k))
}

// state tells whether an entry of that kind has a state of its object: it is
// there.
func (k EntryKind) state() bool {
	return k == Added || k == Updated || k == Replaced || k == Sync
}

// Entry is one delta in the list that Coalesced keeps of a key. It is a value;
// its record is immutable.
type Entry struct {
	Kind EntryKind
	// Missed: nobody saw this deletion. A list lacks the object, or has another
	// one in its place; Record is the last state that waited in the queue.
	Missed bool
	// Version is the version that is reached with this entry: that of the record,
	// the bookmark or the list. Of a missed deletion, that of what proved it.
	Version wire.Version
	// Epoch is how many calls of Replace had begun when the entry came in.
	Epoch uint64
	// Record is the object; zero in Bookmarked and ReplacedEnd.
	Record wire.Record
}

// repeats tells whether e says nothing that p, just before it, did not say.
// Without a version two states can not be told to be the same.
func (e *Entry) repeats(p *Entry) bool {
	if e.Kind != p.Kind || e.Record.UID != p.Record.UID {
		return false
	}
	return e.Kind == Deleted || e.Version != 0 && e.Version == p.Version
}

// KeyEntries is how many entries may wait for one key; then the oldest states
// in between are folded. It is at least 6, what the first and the last object
// of the key need: two states and a deletion each.
const KeyEntries = 8

// entries are what waits for one key, oldest first. Two objects of the same
// name always have a deletion between them.
type entries []Entry

// add appends an entry, and folds what can be folded. It writes to the memory
// of l.
func (l entries) add(e Entry) entries {
	if n := len(l); n > 0 {
		last := &l[n-1]
		if e.repeats(last) {
			*last = e // the later one has the later epoch
			return l
		}
		if last.Kind.state() && last.Record.UID != e.Record.UID {
			l = append(l, last.missed(e.Version, e.Epoch))
		}
	}
	l = append(l, e)
	for len(l) > KeyEntries {
		from, to := l.folded()
		l = slices.Delete(l, from, to)
	}
	return l
}

// missed returns the deletion of the object whose last state is e.
func (e *Entry) missed(v wire.Version, epoch uint64) Entry {
	return Entry{Kind: Deleted, Missed: true, Version: v, Epoch: epoch, Record: e.Record}
}

// folded returns which entries a list that is too long can best do without:
// the oldest state between two of the same object, or else the oldest object
// that came and went while others stand before and after it. The first entry
// and the last are never among them.
func (l entries) folded() (from, to int) {
	for i := 1; i < len(l)-1; i++ {
		if l[i-1].Kind.state() && l[i].Kind.state() && l[i+1].Kind.state() {
			return i, i + 1
		}
	}
	// Now no object has more than two states and a deletion. The first and the
	// last have six entries at most, so there is another one between them.
	gone := func(e Entry) bool { return e.Kind == Deleted }
	from = slices.IndexFunc(l, gone) + 1
	return from, from + slices.IndexFunc(l[from:], gone) + 1
}

// size is what the entries count against Limits.Bytes.
func (l entries) size() int {
	n := 0
	for i := range l {
		n += len(l[i].Record.Body)
	}
	return n
}
