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
	// that arrived during those episodes.
	Episodes, Folded uint64
	// Unreported counts the objects that came and went during an episode and were not
	// reported, because their number exceeded the backlog.
	Unreported uint64
}

// foldedBacklog is the pending changes of a subscriber that has fallen behind: parts in
// order, and then the changes that have been folded. Subscribers that fall behind
// together share the folding, so that the writer folds once for all of them.
type foldedBacklog struct {
	parts   []*backlogPart
	folding *folding // the changes after the parts
}

// backlogPart is a part of the pending changes. Several subscribers may share it.
type backlogPart struct {
	n       uint64 // number of changes it represents
	once    sync.Once
	changes []Change // the result of get
	folded  *folding // the source of changes; nil if changes is set
	now     *Snapshot
}

// get returns the changes. The first call computes them, without the lock of the chain.
func (p *backlogPart) get() []Change {
	p.once.Do(func() {
		if p.folded != nil {
			p.changes = p.folded.changesTo(p.now)
			p.folded, p.now = nil, nil
		}
	})
	return p.changes
}

// folding summarizes changes by object. Unchanged objects that base shares with the store
// cost no memory.
type folding struct {
	base  *Snapshot // the snapshot before the changes
	limit int       // maximum length of gone

	n       uint64 // number of folded changes
	objects map[wire.Key]*objectFold
	gone    []Change // objects that came and went

	seq    uint64 // number of the last folded link
	missed uint64 // objects that came and went in that link and are not in gone
}

func newFolding(base *Snapshot, limit int) *folding {
	return &folding{base: base, limit: limit, objects: map[wire.Key]*objectFold{}}
}

// objectFold summarizes the changes of one key.
type objectFold struct {
	old   tally // changes of the object in base
	ended bool  // the object in base was deleted
	last  Entry // its last state, if the deletion was observed
	young tally // changes of a newer object with the same key
}

// tally summarizes several changes of one object.
type tally struct {
	n     uint32 // number of changes; 0 if there was none
	cause Cause
	seen  time.Time
	order uint64 // position of the last change
}

func (t *tally) note(c *Change, order uint64) {
	if t.n == 0 {
		t.cause = c.Cause
	}
	t.n++
	t.seen, t.order = c.Seen, order
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

// foldChange folds one change. It returns false for the deletion of an object that cannot
// be reported.
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
		o.old.cause = c.Cause // only an addition keeps the cause of its first change
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
		} else if o.old.n > 0 && !old.SameContent(is) {
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
