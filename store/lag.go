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

// lagging is what a subscriber that has fallen behind takes next: pieces in order, and then
// what has been folded by then. Subscribers that fall behind together share the folding,
// so the writer folds once for all of them.
type lagging struct {
	held []*piece
	rest *folding // what came after the pieces
}

// piece is a part of the pending changes. Several subscribers may have it.
type piece struct {
	n       uint64 // changes it stands for
	once    sync.Once
	changes []Change // what get returns
	folded  *folding // what the changes are made of; nil if they are known
	now     *Snapshot
}

// get returns the changes. The first call makes them, without the lock of the feed.
func (p *piece) get() []Change {
	p.once.Do(func() {
		if p.folded != nil {
			p.changes = p.folded.since(p.now)
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
	objects map[wire.Key]*folded
	gone    []Change // objects that came and went

	seq    uint64 // of the last link that was folded
	missed uint64 // objects of that link that came and went, and are not in gone
}

func newFolding(base *Snapshot, limit int) *folding {
	return &folding{base: base, limit: limit, objects: map[wire.Key]*folded{}}
}

// folded summarizes the changes of one key.
type folded struct {
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
	f := s.feed
	l := &lagging{rest: rest}
	for at := s.at; at != f.head; at = at.after {
		l.held = append(l.held, &piece{n: uint64(len(at.changes)), changes: at.changes})
	}
	s.at, s.behind = nil, l
	s.lag.Behind = true
	s.lag.Episodes++
	f.lag.Episodes++
}

// fold adds the changes of the link with this number to the pending changes of the
// subscriber.
func (s *Subscription) fold(changes []Change, seq uint64) {
	l := s.behind.rest
	if l.seq != seq { // else it was done for a subscriber that shares it
		l.link(changes, seq)
	}
	for _, lag := range []*Lag{&s.lag, &s.feed.lag} {
		lag.Unreported += l.missed
		lag.Folded += uint64(len(changes))
	}
}

// leave ends the folding of a subscriber that has caught up, and returns what was folded.
// The subscribers that share it get the same piece, and fold on from here. The caller has the
// lock.
func (f *feed) leave(s *Subscription) *piece {
	l := s.behind.rest
	s.behind = nil
	if l.n == 0 { // the others go on with it; an empty piece would look like the end
		return &piece{}
	}
	p := &piece{n: l.n, folded: l, now: f.snapshot}
	var rest *folding
	for sub := range f.subs {
		if sub.behind == nil || sub.behind.rest != l {
			continue
		}
		if rest == nil {
			rest = newFolding(f.snapshot, f.backlog)
		}
		sub.behind.held, sub.behind.rest = append(sub.behind.held, p), rest
	}
	return p
}

// link folds the changes of a link.
func (l *folding) link(changes []Change, seq uint64) {
	l.seq, l.missed = seq, 0
	for i := range changes {
		if !l.fold(&changes[i]) {
			l.missed++
		}
	}
}

// fold returns false for the end of an object that cannot be reported.
func (l *folding) fold(c *Change) bool {
	l.n++
	key := c.Last().Key()
	o := l.objects[key]
	if o == nil {
		o = &folded{}
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
	l.gone = append(l.gone, Change{Kind: Deleted, Cause: c.Cause, Old: c.Old.alone(), New: c.New, Seen: c.Seen, Folded: n - 1, came: true})
	return true
}

// since returns the changes from base to now: first deletions, then the objects that
// came and went, then additions and updates, each in the order of the last change.
func (l *folding) since(now *Snapshot) []Change {
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
