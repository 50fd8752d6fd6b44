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
	first    *groupLine[T] // whose turn it is
	last     *groupLine[T]
}

// cell is a group's line within a level.
type groupLine[T comparable] struct {
	level      *level[T]
	line       list[T]
	prev, next *groupLine[T]
}

// group is what Config.Group names, while the queue holds any item of it.
type group[T comparable] struct {
	name  string
	held  int
	lines []*groupLine[T] // of the levels it had items in
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

func (g *group[T]) lineOf(l *level[T]) *groupLine[T] {
	for _, c := range g.lines {
		if c.level == l {
			return c
		}
	}
	c := &groupLine[T]{level: l}
	g.lines = append(g.lines, c)
	return c
}

// next returns the item whose turn it is, nil if none may be handed out: the
// level that has the oldest, then the group whose turn it is there. Those that
// wait for another of their lane are taken out of the lines when they come to
// the front; each once, and their lane puts them back.
func (q *Queue[T]) next() *node[T] {
	for q.queued > 0 {
		var n *node[T]
		for _, l := range q.levels {
			if first := l.line.first; first != nil && (n == nil || first.rank < n.rank) {
				n = first
			}
		}
		if !n.eligible() {
			q.dequeueLevel(n)
			q.setAside(n)
			continue
		}
		c := n.level.first
		if c == nil {
			return n
		}
		if n = c.line.first; n.eligible() {
			return n
		}
		n.dequeueGroup()
	}
	return nil
}

// file puts a node at the end of the lines of its level and group.
func (q *Queue[T]) enqueue(n *node[T]) {
	n.level.line.push(n, byLevel)
	n.queued = true
	q.queued++
	if t := n.membership; t != nil && t.group != nil {
		t.groupLine = t.group.lineOf(n.level)
		if t.groupLine.line.first == nil {
			t.groupLine.enter()
		}
		t.groupLine.line.push(n, byGroup)
	}
}

// refile puts back a node that had to wait for its lane, where it is missing.
func (q *Queue[T]) requeue(n *node[T]) {
	if !n.queued {
		n.level.line.insert(n, byLevel)
		n.queued = true
		q.queued++
	}
	if t := n.membership; t.group != nil && t.groupLine == nil {
		t.groupLine = t.group.lineOf(n.level)
		if t.groupLine.line.first == nil {
			t.groupLine.enter()
		}
		t.groupLine.line.insert(n, byGroup)
	}
}

func (q *Queue[T]) dequeue(n *node[T]) {
	q.dequeueLevel(n)
	n.dequeueGroup()
}

func (q *Queue[T]) dequeueLevel(n *node[T]) {
	if n.queued {
		n.level.line.remove(n, byLevel)
		n.queued = false
		q.queued--
	}
}

func (n *node[T]) dequeueGroup() {
	if n.membership == nil || n.membership.groupLine == nil {
		return
	}
	c := n.membership.groupLine
	c.line.remove(n, byGroup)
	if c.line.first == nil {
		c.leave()
	}
	n.membership.groupLine = nil
}

// enter makes a cell the last to have its turn.
func (c *groupLine[T]) enter() {
	l := c.level
	if c.prev = l.last; l.last == nil {
		l.first = c
	} else {
		l.last.next = c
	}
	l.last = c
}

func (c *groupLine[T]) leave() {
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
func (q *Queue[T]) ready() (nodes []*node[T]) {
	for _, l := range q.levels {
		for n := l.line.first; n != nil; n = n.links[byLevel].next {
			nodes = append(nodes, n)
		}
	}
	for n := q.aside.first; n != nil; n = n.links[byAside].next {
		if !n.queued {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b *node[T]) int { return cmp.Compare(a.seq, b.seq) })
	return nodes
}
