package queue

import "time"

// delay is an item and when to add it.
type delay[T comparable] struct {
	item  T
	due   time.Time
	seq   uint64 // of those that are due at the same time
	index int
}

// line is a heap of delays, the earliest first.
type line[T comparable] []*delay[T]

func (l line[T]) Len() int { return len(l) }

func (l line[T]) Less(i, j int) bool {
	if l[i].due.Equal(l[j].due) {
		return l[i].seq < l[j].seq
	}
	return l[i].due.Before(l[j].due)
}

func (l line[T]) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].index, l[j].index = i, j
}

// Push implements heap.Interface.
func (l *line[T]) Push(x any) {
	d, ok := x.(*delay[T])
	if !ok {
		return
	}
	d.index = len(*l)
	*l = append(*l, d)
}

// Pop implements heap.Interface.
func (l *line[T]) Pop() any {
	last := len(*l) - 1
	d := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return d
}
