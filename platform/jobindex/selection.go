package jobindex

import (
	"container/heap"
	"slices"
)

// selection selects the rows of a page: the nearest of those beyond a place.
type selection struct {
	limit   int
	down    bool  // the list is descending
	back    bool  // the page ends before the place, instead of beginning after it
	from    *spot // the place; nil: the beginning of the list
	spots   []spot
	beyond  int // number of rows beyond the place
	skipped int // number of the other rows
}

// sooner reports whether one row is nearer to the place than another one.
func (s *selection) sooner(x, y *spot) bool {
	if s.down != s.back {
		x, y = y, x
	}
	return x.compare(y) < 0
}

// Len, Less, Swap, Push and Pop make a heap of the spots with the farthest one first.
func (s *selection) Len() int           { return len(s.spots) }
func (s *selection) Less(i, j int) bool { return s.sooner(&s.spots[j], &s.spots[i]) }
func (s *selection) Swap(i, j int)      { s.spots[i], s.spots[j] = s.spots[j], s.spots[i] }
func (s *selection) Push(x any)         { s.spots = append(s.spots, x.(spot)) }

// Pop removes the last spot.
func (s *selection) Pop() any {
	n := len(s.spots) - 1
	last := s.spots[n]
	s.spots = s.spots[:n]
	return last
}

// add adds a row.
func (s *selection) add(x *spot) {
	if s.from != nil && !s.sooner(s.from, x) {
		s.skipped++
		return
	}
	s.beyond++
	switch {
	case len(s.spots) < s.limit:
		heap.Push(s, *x)
	case s.sooner(x, &s.spots[0]):
		s.spots[0] = *x
		heap.Fix(s, 0)
	}
}

// sorted returns the selected rows in the order of the list.
func (s *selection) sorted() []spot {
	slices.SortFunc(s.spots, func(x, y spot) int {
		if s.down {
			return y.compare(&x)
		}
		return x.compare(&y)
	})
	return s.spots
}
