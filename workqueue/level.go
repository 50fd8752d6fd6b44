package workqueue

import (
	"cmp"
	"slices"
)

// level is the line of ready items of one priority and, with Config.Group, the groups that
// take turns in it.
type level[T comparable] struct {
	priority int8
	waiting  int
	line     list[T]
	first    *groupLine[T] // the group whose turn it is
	last     *groupLine[T]
}

// groupLine is the line of a group within a level.
type groupLine[T comparable] struct {
	level      *level[T]
	line       list[T]
	prev, next *groupLine[T]
}

// group is a group of Config.Group that has items in the queue.
type group[T comparable] struct {
	name  string
	held  int
	lines []*groupLine[T] // one for each level in which it had items
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

// next returns the item to hand out next, or nil if none can be handed out. It selects the
// level with the lowest rank at its front, then the group whose turn it is. An item at the
// front that waits for another item of its serial name is removed from the line, once;
// requeue puts it back.
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

// enqueue puts a node at the end of the lines of its level and group.
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

// requeue puts a node that waited for its serial name back into the lines from which next
// removed it.
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

// enter gives a group line the last turn.
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

// setAside adds a ready node to Queue.aside. It is not in the line of its level in the
// order of age: its priority was raised, or it waits for its serial name.
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

// oldest returns the time at which the longest waiting node became ready; never if no node
// is ready. It visits all nodes in Queue.aside.
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

// ready returns all ready nodes, in the order in which they entered their lines.
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
