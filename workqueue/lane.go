package workqueue

// lane is what Config.Serial names, while the queue holds any item of it: its
// items in the order in which they came to wait. The first may be handed out,
// is handled, or is to be tried again.
type lane[T comparable] struct {
	name        string
	held        int
	first, last *node[T]
}

func (l *lane[T]) push(n *node[T]) {
	if n.lined {
		return // a retry has kept its place
	}
	n.lined = true
	if l.last == nil {
		l.first = n
	} else {
		l.last.tie.next = n
	}
	l.last = n
}

// pop takes out the first, and returns the one whose turn it is now.
func (l *lane[T]) pop() *node[T] {
	n := l.first
	l.first = n.tie.next
	if l.first == nil {
		l.last = nil
	}
	n.tie.next, n.lined = nil, false
	return l.first
}

// join makes a node that is new one of its group and lane.
func (q *Queue[T]) join(n *node[T], of *names) {
	if n.tie == nil && (q.cfg.Group != nil || q.cfg.Serial != nil) {
		n.tie = new(tie[T])
	}
	if q.cfg.Group != nil {
		g := q.groups[of.group]
		if g == nil {
			g = q.spareGroups.get()
			g.name = of.group
			q.groups[of.group] = g
		}
		g.held++
		n.tie.group = g
	}
	if q.cfg.Serial != nil {
		l := q.lanes[of.lane]
		if l == nil {
			l = q.spareLanes.get()
			l.name = of.lane
			q.lanes[of.lane] = l
		}
		l.held++
		n.tie.lane = l
	}
}

// drop lets go of a node that is in no list any more.
func (q *Queue[T]) drop(n *node[T]) {
	if n.tie != nil {
		q.part(n.tie)
		*n.tie = tie[T]{}
	}
	q.table.remove(n)
}

// part ends what join began.
func (q *Queue[T]) part(t *tie[T]) {
	if g := t.group; g != nil {
		if g.held--; g.held == 0 {
			delete(q.groups, g.name)
			g.name = ""
			q.spareGroups.put(g)
		}
	}
	if l := t.lane; l != nil {
		if l.held--; l.held == 0 {
			delete(q.lanes, l.name)
			l.name = ""
			q.spareLanes.put(l)
		}
	}
}

// spare holds what may be used again.
type spare[X any] []*X

func (s *spare[X]) get() *X {
	n := len(*s)
	if n == 0 {
		return new(X)
	}
	x := (*s)[n-1]
	*s = (*s)[:n-1]
	return x
}

func (s *spare[X]) put(x *X) {
	if len(*s) < spareMost {
		*s = append(*s, x)
	}
}
