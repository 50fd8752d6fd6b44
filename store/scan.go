package store

// Scan calls yield with all items in order, until it returns false.
func (t *btree[T]) Scan(yield func(T) bool) { scan(t.root, yield) }

func scan[T any](n *node[T], yield func(T) bool) bool {
	if n.children == nil {
		for _, item := range n.items {
			if !yield(item) {
				return false
			}
		}
		return true
	}
	for _, kid := range n.children {
		if !scan(kid, yield) {
			return false
		}
	}
	return true
}

// Ascend calls yield with the items from the given one on, in order, until it returns
// false.
func (t *btree[T]) Ascend(from T, yield func(T) bool) { t.ascend(t.root, from, yield) }

func (t *btree[T]) ascend(n *node[T], from T, yield func(T) bool) bool {
	if n.children == nil {
		i, _ := t.find(n, from)
		for _, item := range n.items[i:] {
			if !yield(item) {
				return false
			}
		}
		return true
	}
	i := t.childIndex(n, from)
	if !t.ascend(n.children[i], from, yield) {
		return false
	}
	for _, kid := range n.children[i+1:] {
		if !scan(kid, yield) {
			return false
		}
	}
	return true
}
