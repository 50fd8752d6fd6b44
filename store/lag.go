package store

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// Lag describes how far a subscriber of EveryChange has fallen behind.
type Lag struct {
	// Behind reports that more changes wait than the backlog holds. The store folds the
	// changes of each object until the subscriber has caught up.
	Behind bool
	// Episodes counts how often the subscriber fell behind. Folded counts the changes
	// that came in those episodes.
	Episodes, Folded uint64
	// Unreported counts the objects that came and went during an episode but were not
	// reported, because there were more of them than the backlog holds.
	Unreported uint64
}

// foldedBacklog is what a subscriber that has fallen behind takes next: pieces in order, and then
// what has been folded by then. Subscribers that fall behind together share the folding,
// so the writer folds once for all of them.
type foldedBacklog struct {
	parts   []*backlogPart
	folding *folding // what came after the pieces
}

// backlogPart is a part of the pending changes. Several subscribers may have it.
type backlogPart struct {
	n       uint64 // changes it stands for
	once    sync.Once
	changes []Change // what get returns
	folded  *folding // what the changes are made of; nil if they are known
	now     *Snapshot
}

// get returns the changes. The first call makes them, without the lock of the feed.
func (p *backlogPart) get() []Change {
	p.once.Do(func() {
		if p.folded != nil {
			p.changes = p.folded.changesTo(p.now)
			p.folded, p.now = nil, nil
		}
	})
	return p.changes
}

// folding summarizes changes by object. Objects that base and the store share cost nothing
// here until they change.
type folding struct {
	base  *Snapshot // the snapshot before the changes
	limit int       // maximum length of gone

	n       uint64 // number of folded changes
	objects map[wire.Key]*objectFold
	gone    []Change // objects that came and went

	seq    uint64 // of the last link that was folded
	missed uint64 // objects of that link that came and went, and are not in gone
}

func newFolding(base *Snapshot, limit int) *folding {
	return &folding{base: base, limit: limit, objects: map[wire.Key]*objectFold{}}
}

// objectFold summarizes the changes of one key.
type objectFold struct {
	old   tally // changes of the object in base
	ended bool  // the object in base is gone
	last  Entry // its last state, if the deletion was seen
	young tally // changes of the object that exists now, if it is another one
}

// tally summarizes several changes of one object.
type tally struct {
	n     uint32 // number of changes; 0 if there was none
	cause Cause
	seen  time.Time
	order uint64 // of the last change
}

func (t *tally) note(c *Change, order uint64) {
	if t.n == 0 {
		t.cause = c.Cause
	}
	t.n++
	t.seen, t.order = c.Seen, order
}

// fallBehind takes a subscriber off the chain, which would otherwise grow without
// bound.
func (s *Subscription) fallBehind(rest *folding) {
	f := s.chain
	l := &foldedBacklog{folding: rest}
	for at := s.at; at != f.head; at = at.next {
		l.parts = append(l.parts, &backlogPart{n: uint64(len(at.changes)), changes: at.changes})
	}
	s.at, s.behind = nil, l
	s.lag.Behind = true
	s.lag.Episodes++
	f.lag.Episodes++
}

// foldLink adds the changes of the link with this number to the pending changes of the
// subscriber.
func (s *Subscription) foldLink(changes []Change, seq uint64) {
	l := s.behind.folding
	if l.seq != seq { // else it was done for a subscriber that shares it
		l.foldLink(changes, seq)
	}
	for _, lag := range []*Lag{&s.lag, &s.chain.lag} {
		lag.Unreported += l.missed
		lag.Folded += uint64(len(changes))
	}
}

// endFolding ends the folding of a subscriber that has caught up, and returns what was folded.
// The subscribers that share it get the same piece, and fold on from here. The caller has the
// lock.
func (f *chain) endFolding(s *Subscription) *backlogPart {
	l := s.behind.folding
	s.behind = nil
	if l.n == 0 { // the others go on with it; an empty piece would look like the end
		return &backlogPart{}
	}
	p := &backlogPart{n: l.n, folded: l, now: f.snapshot}
	var rest *folding
	for sub := range f.subs {
		if sub.behind == nil || sub.behind.folding != l {
			continue
		}
		if rest == nil {
			rest = newFolding(f.snapshot, f.backlog)
		}
		sub.behind.parts, sub.behind.folding = append(sub.behind.parts, p), rest
	}
	return p
}

// foldLink folds the changes of a link.
func (l *folding) foldLink(changes []Change, seq uint64) {
	l.seq, l.missed = seq, 0
	for i := range changes {
		if !l.foldChange(&changes[i]) {
			l.missed++
		}
	}
}

// foldChange returns false for the end of an object that cannot be reported.
func (l *folding) foldChange(c *Change) bool {
	l.n++
	key := c.Last().Key()
	o := l.objects[key]
	if o == nil {
		o = &objectFold{}
		l.objects[key] = o
	}
	if c.Kind == Added || o.young.n > 0 {
		o.young.note(c, l.n)
	} else {
		o.old.note(c, l.n)
		o.old.cause = c.Cause // an addition keeps the cause of the first change
	}
	if c.Kind != Deleted {
		return true
	}
	if o.young.n == 0 {
		o.ended, o.last = true, c.New
		return true
	}
	n := o.young.n
	if o.young = (tally{}); o.old.n == 0 {
		delete(l.objects, key)
	}
	if len(l.gone) == l.limit {
		return false
	}
	l.gone = append(l.gone, Change{Kind: Deleted, Cause: c.Cause, Old: c.Old.Detached(), New: c.New, Seen: c.Seen, Folded: n - 1, came: true})
	return true
}

// changesTo returns the changes from base to now: first deletions, then the objects that
// came and went, then additions and updates, each in the order of the last change.
func (l *folding) changesTo(now *Snapshot) []Change {
	type ordered struct {
		Change
		order uint64
	}
	var ends, rest []ordered
	add := func(list *[]ordered, t tally, c Change) {
		c.Cause, c.Seen, c.Folded = t.cause, t.seen, t.n-1
		*list = append(*list, ordered{c, t.order})
	}
	for key, o := range l.objects {
		old, _ := l.base.Get(key)
		is, _ := now.Get(key)
		if o.ended {
			add(&ends, o.old, Change{Kind: Deleted, Old: old, New: o.last})
		} else if o.old.n > 0 && !sameRevision(old, is) {
			add(&rest, o.old, Change{Kind: Updated, Old: old, New: is})
		}
		if o.young.n > 0 {
			add(&rest, o.young, Change{Kind: Added, New: is})
		}
	}
	out := make([]Change, 0, len(ends)+len(l.gone)+len(rest))
	for i, list := range [][]ordered{ends, rest} {
		slices.SortFunc(list, func(a, b ordered) int { return cmp.Compare(a.order, b.order) })
		for _, o := range list {
			out = append(out, o.Change)
		}
		if i == 0 {
			out = append(out, l.gone...)
		}
	}
	return out
}
