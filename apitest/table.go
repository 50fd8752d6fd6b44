package apitest

import (
	"strings"

	"github.com/tidwall/btree"
	"k8s.io/apimachinery/pkg/watch"
)

// table holds the objects of one type and its latest events. Server.mu guards it. A copy of its rows belongs to the
// reader and shares unchanged nodes.
type table struct {
	res    *resource
	rows   *btree.Map[string, *revision]
	window window
	wake   chan struct{} // closed, and replaced, by every change
	ended  bool          // the type is no longer served
}

func newTable(res *resource, limit int, version uint64) *table {
	return &table{
		res:    res,
		rows:   btree.NewMap[string, *revision](32),
		window: window{limit: limit, floor: version},
		wake:   make(chan struct{}),
	}
}

func (t *table) get(key string) *revision {
	rev, _ := t.rows.Get(key)
	return rev
}

// all returns the rows in order.
func (t *table) all() []*revision { return t.rows.Values() }

// apply applies an event to the rows and wakes the watches.
func (t *table) apply(e *event) {
	if e.kind == watch.Deleted {
		t.rows.Delete(e.now.key())
	} else {
		t.rows.Set(e.now.key(), e.now)
	}
	t.window.add(e)
	t.notify()
}

func (t *table) notify() {
	close(t.wake)
	t.wake = make(chan struct{})
}

// end ends the watches: no events follow.
func (t *table) end() {
	t.ended = true
	t.notify()
}

// snapshot returns the rows at a version: a copy of the current rows, with the later events undone. ok is false if the
// window no longer has all of these events.
func (t *table) snapshot(version uint64) (rows *btree.Map[string, *revision], ok bool) {
	cursor, ok := t.window.seek(version)
	if !ok {
		return nil, false
	}
	rows = t.rows.Copy()
	for n := t.window.next; n > cursor; n-- {
		e := t.window.at(n - 1)
		if e.before == nil {
			rows.Delete(e.now.key())
		} else {
			rows.Set(e.before.key(), e.before)
		}
	}
	return rows, true
}

// visitFrom visits the rows of one namespace, or of all if it is "", beginning at a key, until visit returns false.
func visitFrom(rows *btree.Map[string, *revision], namespace, from string, visit func(*revision) bool) {
	prefix := ""
	if namespace != "" {
		prefix = namespace + "/"
	}
	rows.Ascend(max(prefix, from), func(key string, rev *revision) bool {
		return strings.HasPrefix(key, prefix) && visit(rev)
	})
}
