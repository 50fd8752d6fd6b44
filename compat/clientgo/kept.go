package clientgo

import (
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/store"
)

// keptLists holds the objects of lists for a minute. Reading a list again within that time
// only costs the decoding of the changed objects.
type keptLists struct {
	mu    sync.Mutex
	lists map[question]keptList
	sweep *time.Timer // nil if no list is kept
}

// question identifies the objects of a list and their form.
type question struct {
	namespace string // with all: empty
	all, lazy bool
}

// keptList is the answer to a question. It is never changed: several readers may merge
// with it at once.
type keptList struct {
	read    time.Time
	entries []store.Entry // ordered by key
	objects []any         // those of the entries
}

// maker returns the object of an entry, and whether it has one. was and like are the entry
// and the object of an earlier revision in the list; zero if there is no such revision.
type maker func(e, was store.Entry, like any) (obj any, ok bool)

// list returns the objects of entries, which are ordered by key and about n.
func (k *keptLists) list(q question, entries iter.Seq[store.Entry], n int, object maker) []any {
	now := keptList{read: time.Now(), entries: make([]store.Entry, 0, n), objects: make([]any, 0, n)}
	m := merge{before: k.before(q)}
	for e := range entries {
		if obj, ok := m.next(e, object); ok {
			now.entries = append(now.entries, e)
			now.objects = append(now.objects, obj)
		}
	}
	if len(now.objects) == 0 {
		return now.objects // a namespace that does not exist, for instance
	}
	k.keep(q, now)
	return slices.Clone(now.objects)
}

// before returns the kept answer.
func (k *keptLists) before(q question) keptList {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lists[q]
}

// keep keeps an answer.
func (k *keptLists) keep(q question, l keptList) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lists == nil {
		k.lists = map[question]keptList{}
	}
	k.lists[q] = l
	if k.sweep == nil {
		k.sweep = time.AfterFunc(keepFor, k.expire)
	}
}

// expire drops lists that were not read for a while.
func (k *keptLists) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sweep = nil
	for q, l := range k.lists {
		if time.Since(l.read) >= keepFor {
			delete(k.lists, q)
		}
	}
	if len(k.lists) > 0 {
		k.sweep = time.AfterFunc(keepFor, k.expire)
	}
}

// merge advances in a kept list along with new entries in the same order.
type merge struct {
	before keptList
	at     int
}

// next returns the object of an entry.
func (m *merge) next(e store.Entry, object maker) (any, bool) {
	b := &m.before
	if m.at < len(b.entries) && b.entries[m.at] == e { // most entries
		m.at++
		return b.objects[m.at-1], true
	}
	for m.at < len(b.entries) {
		was := b.entries[m.at]
		order := was.Compare(e)
		if order > 0 {
			break
		}
		m.at++
		switch {
		case order < 0: // it was deleted
		case was.SameContent(e): // the store has moved the record
			return b.objects[m.at-1], true
		default:
			return object(e, was, b.objects[m.at-1])
		}
	}
	return object(e, store.Entry{}, nil)
}
