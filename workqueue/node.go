package workqueue

// node is an item that the queue holds, from its first Add to the Done after which it is no
// longer pending. It is ready, delayed or handled; while it is handled it may be pending
// again. Producers and workers on different cores access it alternately, so it fits into
// two cache lines if items are strings.
type node[T comparable] struct {
	item  T
	hash  uint32
	slot  int32    // in handledSet, while it is handled
	chain *node[T] // the next in its bucket or in the free list

	links      [2]links[T]
	level      *level[T]      // the line in which it waits
	membership *membership[T] // nil without groups and serial names

	rank  int64  // position among ready nodes; see Queue.rank
	seq   uint64 // order among nodes with the same rank or the same delay
	ready int64  // when it became ready, or when its delay ends
	start int64  // when its handling began, or when it was added

	retries    int32
	index      int32 // in the heap of delays
	priority   int8  // of the pending request
	taken      int8  // with which it was handed out
	pending    pending
	handled    bool
	queued     bool // is in the line of its level
	inSerial   bool // is in the list of its serial name
	keepsPlace bool // a retry: keeps its place in the list of its serial name
	aside      bool // is in Queue.aside
}

// pending is the state of the next request for an item, apart from its current handling.
type pending uint8

const (
	nothing pending = iota
	delayed         // in the heap of delays
	due             // ready; if the item is handled, it becomes ready at its Done
)

// membership links a node to its group and its serial name.
type membership[T comparable] struct {
	group     *group[T]
	groupLine *groupLine[T] // the line of its group; nil if it is not in the line
	links     links[T]      // within groupLine
	serial    *serial[T]
	next      *node[T] // next node of its serial name
}

func (n *node[T]) before(m *node[T]) bool {
	return n.rank < m.rank || n.rank == m.rank && n.seq < m.seq
}

// eligible reports whether no earlier item of the same serial name is pending or handled.
func (n *node[T]) eligible() bool { return n.serial() == nil || n.membership.serial.first == n }

func (n *node[T]) serial() *serial[T] {
	if n.membership == nil {
		return nil
	}
	return n.membership.serial
}

// The lists in which a node may be at the same time.
const (
	byAside = iota // Queue.aside
	byLevel        // the line of a priority
	byGroup        // the line of a priority and a group
)

type links[T comparable] struct{ prev, next *node[T] }

func (n *node[T]) link(by int) *links[T] {
	if by == byGroup {
		return &n.membership.links
	}
	return &n.links[by]
}

// list is a doubly linked list of nodes, by one of their links.
type list[T comparable] struct{ first, last *node[T] }

func (l *list[T]) push(n *node[T], by int) {
	*n.link(by) = links[T]{prev: l.last}
	if l.last == nil {
		l.first = n
	} else {
		l.last.link(by).next = n
	}
	l.last = n
}

// insert puts a node that was in front back to its position.
func (l *list[T]) insert(n *node[T], by int) {
	at := l.first
	for at != nil && at.before(n) {
		at = at.link(by).next
	}
	if at == nil {
		l.push(n, by)
		return
	}
	prev := at.link(by).prev
	*n.link(by) = links[T]{prev: prev, next: at}
	at.link(by).prev = n
	if prev == nil {
		l.first = n
	} else {
		prev.link(by).next = n
	}
}

func (l *list[T]) remove(n *node[T], by int) {
	k := n.link(by)
	if k.prev == nil {
		l.first = k.next
	} else {
		k.prev.link(by).next = k.next
	}
	if k.next == nil {
		l.last = k.prev
	} else {
		k.next.link(by).prev = k.prev
	}
	*k = links[T]{}
}
