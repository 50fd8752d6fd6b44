package store

import "bytes"

// tree holds entries by key.
type tree = btree[Entry]

func newTree() *tree {
	t := newBtree(compareEntries)
	t.name = nameOf
	return t
}

// posting says that an object has a value in an index: the nth of its column.
type posting struct {
	slab *slab
	off  uint32
	nth  uint32
}

func (p posting) entry() Entry { return Entry{p.slab, p.off} }

// postings holds those of one index by value and key.
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

// table is what a store holds: the objects, and the indexes over them.
type table struct {
	objects *tree
	indexes []*postings
	raw     int64 // bytes of all bodies, unpacked
	decoded int   // entries that have an object
}

// take makes the objects of an empty table those of a tree, which is the table's
// from now on.
func (t *table) take(objects *tree) {
	t.objects = objects
	objects.Scan(func(e Entry) bool {
		t.count(e, 1)
		t.post(e)
		return true
	})
}

// count adds n times an entry to the sums.
func (t *table) count(e Entry, n int) {
	t.raw += int64(n * e.Len())
	if e.slab.object != nil {
		t.decoded += n
	}
}

// post puts an entry into the indexes.
func (t *table) post(e Entry) {
	for column, index := range t.indexes {
		e.values(column, func(nth int, _ []byte) {
			p := posting{e.slab, e.off, uint32(nth)}
			index.Find(p)
			index.Set(p)
		})
	}
}

// put stores an entry, and returns the one it replaces.
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

// sameColumn reports whether two entries have the same values: most updates
// change none that is indexed.
func sameColumn(a, b Entry, column int) bool {
	x, y := skipColumns(a.columns(), column), skipColumns(b.columns(), column)
	return bytes.Equal(x[:len(x)-len(skipColumns(x, 1))], y[:len(y)-len(skipColumns(y, 1))])
}

// copy returns a table that shares everything with t until one of them writes.
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
