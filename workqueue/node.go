package workqueue

// node is an item that the queue holds, from its first Add to the Done after
// which nothing is left to do. It waits, or is delayed, or is handled; while it
// is handled it may be pending once more. Producers and workers on different
// cores take turns with it, so it is kept to two cache lines if items are strings.
type node[T comparable] struct {
	item  T
	hash  uint32
	slot  int32    // while it is handled
	chain *node[T] // the next in its bucket, or of those to be used again

	links      [2]links[T]
	level      *level[T]      // where it waits
	membership *membership[T] // nil without groups and lanes

	rank  int64  // its place among those that wait: when it came, less its priority
	seq   uint64 // the same, of those that have the same rank, or the same delay
	ready int64  // since when it waits, or when its delay ends
	start int64  // since when it is handled, or, if it waits, was added

	retries    int32
	index      int32 // in the heap
	priority   int8  // of what is pending
	taken      int8  // of what is handled
	pending    pending
	handled    bool
	queued     bool // stands in the line of its level
	inSerial   bool // stands in its lane
	keepsPlace bool // keeps its place in its lane: a retry
	aside      bool // is in that list
}

// pending is what is asked of an item beyond what is being done.
type pending uint8

const (
	nothing pending = iota
	delayed         // is in the heap
	due             // waits; if it is handled, it will at its Done
)

// tie is what a node has to do with others.
type membership[T comparable] struct {
	group     *group[T]
	groupLine *groupLine[T] // the line of its group, if it stands there
	links     links[T]      // in that line
	serial    *serial[T]
	next      *node[T] // in its lane
}

func (n *node[T]) before(m *node[T]) bool {
	return n.rank < m.rank || n.rank == m.rank && n.seq < m.seq
}

// mayGo tells whether nothing of the same lane comes before it.
func (n *node[T]) eligible() bool { return n.serial() == nil || n.membership.serial.first == n }

func (n *node[T]) serial() *serial[T] {
	if n.membership == nil {
		return nil
	}
	return n.membership.serial
}

// The lists that a node may be in at a time.
const (
	byAside = iota // those that are set aside
	byLevel        // those of a priority
	byGroup        // those of a priority and a group
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

// insert puts a node that was in front back to its place.
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
