package workqueue

import (
	"cmp"
	"slices"
)

// level is the line of those that wait with the same priority, and, if items
// have groups, the groups that take turns in it.
type level[T comparable] struct {
	priority int8
	waiting  int
	line     list[T]
	first    *cell[T] // whose turn it is
	last     *cell[T]
}

// cell is a group's line within a level.
type cell[T comparable] struct {
	level      *level[T]
	line       list[T]
	prev, next *cell[T]
}

// group is what Config.Group names, while the queue holds any item of it.
type group[T comparable] struct {
	name  string
	held  int
	cells []*cell[T] // of the levels it had items in
}

func (q *Queue[T]) levelOf(priority int8) *level[T] {
	for _, l := range q.levels {
		if l.priority == priority {
			return l
		}
	}
	l := &level[T]{priority: priority}
	at := 0
	for at < len(q.levels) && q.levels[at].priority > priority {
		at++
	}
	q.levels = slices.Insert(q.levels, at, l)
	return l
}

func (g *group[T]) cellOf(l *level[T]) *cell[T] {
	for _, c := range g.cells {
		if c.level == l {
			return c
		}
	}
	c := &cell[T]{level: l}
	g.cells = append(g.cells, c)
	return c
}

// next returns the item whose turn it is, nil if none may be handed out: the
// level that has the oldest, then the group whose turn it is there. Those that
// wait for another of their lane are taken out of the lines when they come to
// the front; each once, and their lane puts them back.
func (q *Queue[T]) next() *node[T] {
	for q.filed > 0 {
		var n *node[T]
		for _, l := range q.levels {
			if first := l.line.first; first != nil && (n == nil || first.rank < n.rank) {
				n = first
			}
		}
		if !n.mayGo() {
			q.unfileLevel(n)
			q.setAside(n)
			continue
		}
		c := n.level.first
		if c == nil {
			return n
		}
		if n = c.line.first; n.mayGo() {
			return n
		}
		n.unfileGroup()
	}
	return nil
}

// file puts a node at the end of the lines of its level and group.
func (q *Queue[T]) file(n *node[T]) {
	n.level.line.push(n, byLevel)
	n.filed = true
	q.filed++
	if t := n.tie; t != nil && t.group != nil {
		t.cell = t.group.cellOf(n.level)
		if t.cell.line.first == nil {
			t.cell.enter()
		}
		t.cell.line.push(n, byGroup)
	}
}

// refile puts back a node that had to wait for its lane, where it is missing.
func (q *Queue[T]) refile(n *node[T]) {
	if !n.filed {
		n.level.line.insert(n, byLevel)
		n.filed = true
		q.filed++
	}
	if t := n.tie; t.group != nil && t.cell == nil {
		t.cell = t.group.cellOf(n.level)
		if t.cell.line.first == nil {
			t.cell.enter()
		}
		t.cell.line.insert(n, byGroup)
	}
}

func (q *Queue[T]) unfile(n *node[T]) {
	q.unfileLevel(n)
	n.unfileGroup()
}

func (q *Queue[T]) unfileLevel(n *node[T]) {
	if n.filed {
		n.level.line.remove(n, byLevel)
		n.filed = false
		q.filed--
	}
}

func (n *node[T]) unfileGroup() {
	if n.tie == nil || n.tie.cell == nil {
		return
	}
	c := n.tie.cell
	c.line.remove(n, byGroup)
	if c.line.first == nil {
		c.leave()
	}
	n.tie.cell = nil
}

// enter makes a cell the last to have its turn.
func (c *cell[T]) enter() {
	l := c.level
	if c.prev = l.last; l.last == nil {
		l.first = c
	} else {
		l.last.next = c
	}
	l.last = c
}

func (c *cell[T]) leave() {
	l := c.level
	if c.prev == nil {
		l.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		l.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// setAside notes one that waits, and is not in the line of its level in the order
// of age: it was raised, or waits for its lane.
func (q *Queue[T]) setAside(n *node[T]) {
	if !n.aside {
		n.aside = true
		q.aside.push(n, byAside)
	}
}

func (q *Queue[T]) takeBack(n *node[T]) {
	if n.aside {
		n.aside = false
		q.aside.remove(n, byAside)
	}
}

// oldest returns since when the node waits that waits longest; never if none does.
// It looks at those that were set aside one by one.
func (q *Queue[T]) oldest() int64 {
	since := int64(never)
	for _, l := range q.levels {
		if n := l.line.first; n != nil {
			since = min(since, n.ready)
		}
	}
	for n := q.aside.first; n != nil; n = n.links[byAside].next {
		since = min(since, n.ready)
	}
	return since
}

// lined returns all that wait, in the order in which they came into their lines.
func (q *Queue[T]) lined() (nodes []*node[T]) {
	for _, l := range q.levels {
		for n := l.line.first; n != nil; n = n.links[byLevel].next {
			nodes = append(nodes, n)
		}
	}
	for n := q.aside.first; n != nil; n = n.links[byAside].next {
		if !n.filed {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b *node[T]) int { return cmp.Compare(a.seq, b.seq) })
	return nodes
}
