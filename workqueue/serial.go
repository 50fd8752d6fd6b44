package workqueue

// serial has the pending items of one name of Config.Serial, in the order in which they
// became ready. The first item can be handed out, is handled, or will be retried.
type serial[T comparable] struct {
	name        string
	held        int
	first, last *node[T]
}

func (l *serial[T]) push(n *node[T]) {
	if n.inSerial {
		return // a retry has kept its place
	}
	n.inSerial = true
	if l.last == nil {
		l.first = n
	} else {
		l.last.membership.next = n
	}
	l.last = n
}

// pop removes the first node and returns the new first one.
func (l *serial[T]) pop() *node[T] {
	n := l.first
	l.first = n.membership.next
	if l.first == nil {
		l.last = nil
	}
	n.membership.next, n.inSerial = nil, false
	return l.first
}

// attach adds a new node to its group and its serial name.
func (q *Queue[T]) attach(n *node[T], of *names) {
	if n.membership == nil && (q.cfg.Group != nil || q.cfg.Serial != nil) {
		n.membership = new(membership[T])
	}
	if q.cfg.Group != nil {
		g := q.groups[of.group]
		if g == nil {
			g = q.spareGroups.get()
			g.name = of.group
			q.groups[of.group] = g
		}
		g.held++
		n.membership.group = g
	}
	if q.cfg.Serial != nil {
		l := q.serials[of.serial]
		if l == nil {
			l = q.spareSerials.get()
			l.name = of.serial
			q.serials[of.serial] = l
		}
		l.held++
		n.membership.serial = l
	}
}

// release frees a node that is no longer in any list.
func (q *Queue[T]) release(n *node[T]) {
	if n.membership != nil {
		q.detach(n.membership)
		*n.membership = membership[T]{}
	}
	q.table.remove(n)
}

// detach removes a node from its group and its serial name.
func (q *Queue[T]) detach(t *membership[T]) {
	if g := t.group; g != nil {
		if g.held--; g.held == 0 {
			delete(q.groups, g.name)
			g.name = ""
			q.spareGroups.put(g)
		}
	}
	if l := t.serial; l != nil {
		if l.held--; l.held == 0 {
			delete(q.serials, l.name)
			l.name = ""
			q.spareSerials.put(l)
		}
	}
}

// freeList keeps values for reuse.
type freeList[X any] []*X

func (s *freeList[X]) get() *X {
	n := len(*s)
	if n == 0 {
		return new(X)
	}
	x := (*s)[n-1]
	*s = (*s)[:n-1]
	return x
}

func (s *freeList[X]) put(x *X) {
	if len(*s) < maxSpare {
		*s = append(*s, x)
	}
}
