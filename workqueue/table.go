package workqueue

const (
	parts      = 256
	minBuckets = 8
	maxSpare   = 1 << 16
)

// table finds nodes by their items. It is a hash table of its own for three reasons: items
// are hashed before the lock is taken, each call searches for an item only once, and the
// table grows in parts, so that no call pays for growing all of it.
type table[T comparable] struct {
	parts  [parts]part[T]
	count  int
	spare  *node[T] // nodes for reuse
	spares int
}

type part[T comparable] struct {
	buckets []*node[T]
	count   int
}

func (t *table[T]) find(hash uint32, item T) *node[T] {
	p := &t.parts[hash%parts]
	if len(p.buckets) == 0 {
		return nil
	}
	for n := p.buckets[p.bucket(hash)]; n != nil; n = n.chain {
		if n.hash == hash && n.item == item {
			return n
		}
	}
	return nil
}

// insert creates a node for an item that has none.
func (t *table[T]) insert(hash uint32, item T) *node[T] {
	n := t.spare
	if n == nil {
		n = new(node[T])
	} else {
		t.spare, n.chain = n.chain, nil
		t.spares--
	}
	n.hash, n.item = hash, item
	p := &t.parts[hash%parts]
	if p.count >= len(p.buckets) {
		p.resize(max(minBuckets, 2*len(p.buckets)))
	}
	p.put(n)
	p.count++
	t.count++
	return n
}

// remove removes a node that is no longer in any list.
func (t *table[T]) remove(n *node[T]) {
	p := &t.parts[n.hash%parts]
	at := &p.buckets[p.bucket(n.hash)]
	for *at != n {
		at = &(*at).chain
	}
	*at = n.chain
	p.count--
	t.count--
	*n = node[T]{membership: n.membership}
	if t.spares < maxSpare {
		n.chain, t.spare = t.spare, n
		t.spares++
	}
}

func (p *part[T]) bucket(hash uint32) uint32 { return hash / parts & uint32(len(p.buckets)-1) }

func (p *part[T]) put(n *node[T]) {
	at := &p.buckets[p.bucket(n.hash)]
	n.chain, *at = *at, n
}

func (p *part[T]) resize(size int) {
	old := p.buckets
	p.buckets = make([]*node[T], size)
	for _, n := range old {
		for n != nil {
			next := n.chain
			p.put(n)
			n = next
		}
	}
}
