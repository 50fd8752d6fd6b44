package workqueue

// handledSet has the nodes that workers handle, each in its own slot. Adding or removing a
// node touches no other node, which another processor may be working on.
type handledSet[T comparable] struct {
	nodes []*node[T] // nil where a slot is free
	free  []int32
}

func (r *handledSet[T]) add(n *node[T]) {
	if last := len(r.free) - 1; last >= 0 {
		n.slot, r.free = r.free[last], r.free[:last]
		r.nodes[n.slot] = n
		return
	}
	n.slot = int32(len(r.nodes))
	r.nodes = append(r.nodes, n)
}

func (r *handledSet[T]) remove(n *node[T]) {
	r.nodes[n.slot] = nil
	r.free = append(r.free, n.slot)
}
