package store

import "bytes"

// tree is a set of entries ordered by key.
type tree = btree[Entry]

func newTree() *tree {
	t := newBtree(compareEntries)
	t.name = nameOf
	return t
}

// posting is one value of an entry in an index: the nth value in the index's column.
type posting struct {
	slab *slab
	off  uint32
	nth  uint32
}

func (p posting) entry() Entry { return Entry{p.slab, p.off} }

// postings is the set of postings of one index, ordered by value and key.
type postings = btree[posting]

func newPostings(column int) *postings {
	t := newBtree(func(a, b posting) int {
		c := bytes.Compare(a.entry().value(column, int(a.nth)), b.entry().value(column, int(b.nth)))
		if c == 0 {
			c = compareEntries(a.entry(), b.entry())
		}
		return c
	})
	t.name = func(p posting) keyName {
		name := nameOf(p.entry())
		name.value = p.entry().value(column, int(p.nth))
		name.before = len(name.value) + 1
		return name
	}
	return t
}

// table has the objects of a store and the indexes over them.
type table struct {
	objects *tree
	indexes []*postings
	raw     int64 // bytes of all bodies, unpacked
	decoded int   // entries that have an object
}

// take sets the objects of an empty table to a tree. The table owns the tree from then
// on.
func (t *table) take(objects *tree) {
	t.objects = objects
	objects.Scan(func(e Entry) bool {
		t.count(e, 1)
		t.post(e)
		return true
	})
}

// count adds n times the size of an entry to the totals.
func (t *table) count(e Entry, n int) {
	t.raw += int64(n * e.Len())
	if e.slab.object != nil {
		t.decoded += n
	}
}

// post adds an entry to the indexes.
func (t *table) post(e Entry) {
	for column, index := range t.indexes {
		e.values(column, func(nth int, _ []byte) {
			p := posting{e.slab, e.off, uint32(nth)}
			index.Find(p)
			index.Set(p)
		})
	}
}

// put stores an entry and returns the entry that it replaces.
func (t *table) put(e Entry) (old Entry, had bool) {
	old, had = t.objects.Set(e)
	t.count(e, 1)
	if had {
		t.count(old, -1)
	}
	for column, index := range t.indexes {
		if had && column < old.slab.columns && !sameColumn(old, e, column) {
			unpost(index, old, column)
		}
	}
	t.post(e)
	return old, had
}

// remove removes an entry.
func (t *table) remove(e Entry) {
	t.objects.Delete(e)
	t.count(e, -1)
	for column, index := range t.indexes {
		unpost(index, e, column)
	}
}

func unpost(index *postings, e Entry, column int) {
	e.values(column, func(nth int, _ []byte) { index.Delete(posting{e.slab, e.off, uint32(nth)}) })
}

// sameColumn reports whether two entries have the same values in a column. Most updates
// change no indexed value.
func sameColumn(a, b Entry, column int) bool {
	x, y := skipColumns(a.columns(), column), skipColumns(b.columns(), column)
	return bytes.Equal(x[:len(x)-len(skipColumns(x, 1))], y[:len(y)-len(skipColumns(y, 1))])
}

// copy returns a table that shares its nodes with t. Later writes to either do not affect
// the other.
func (t *table) copy() table {
	c := table{objects: t.objects.Copy(), indexes: make([]*postings, len(t.indexes)), raw: t.raw, decoded: t.decoded}
	for i, index := range t.indexes {
		c.indexes[i] = index.Copy()
	}
	return c
}

// reset empties the table.
func (t *table) reset() {
	t.objects, t.raw, t.decoded = newTree(), 0, 0
	for column := range t.indexes {
		t.indexes[column] = newPostings(column)
	}
}
