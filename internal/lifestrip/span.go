package lifestrip

import (
	"cmp"
	"slices"
	"time"

	"github.com/vedette-io/vedette/state"
)

// Span is the time that a job spent in a state. Spans of a life follow each other.
type Span struct {
	State    state.State
	From, To time.Time
	// Gap says that the job was not watched.
	Gap bool
}

// segment is a part of a life that is drawn the same.
type segment struct {
	look   state.State
	length time.Duration
}

// segments returns the spans of a life, with neighbors of one look merged. Spans that end
// before they begin have no length.
func segments(spans []Span) (all []segment) {
	for _, s := range spans {
		one := segment{s.State, max(0, s.To.Sub(s.From))}
		if s.Gap {
			one.look = gap
		}
		all = append(all, one)
	}
	return merge(all)
}

// merge joins neighbors of one look.
func merge(all []segment) (merged []segment) {
	for _, s := range all {
		if n := len(merged); n > 0 && merged[n-1].look == s.look {
			merged[n-1].length += s.length
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// thin leaves the shortest segments out until at most n are left. The last segment of a look
// is left out only when each look has one.
func thin(all []segment, n int) []segment {
	for len(all) > n {
		seen := map[state.State]int{}
		for _, s := range all {
			seen[s.look]++
		}
		drop := make([]bool, len(all))
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(all[x].length, all[y].length) })
		// Neighbors of a dropped segment may merge, so half of the surplus goes at a time.
		left := max(1, (len(all)-n)/2)
		for _, i := range order {
			if left > 0 && (seen[all[i].look] > 1 || len(seen) == len(all)) {
				drop[i], left = true, left-1
				seen[all[i].look]--
			}
		}
		var kept []segment
		for i, s := range all {
			if !drop[i] {
				kept = append(kept, s)
			}
		}
		all = merge(kept)
	}
	return all
}

// cells returns how many of n cells each segment takes: at least one, and otherwise in
// proportion to its length. There are at most n segments.
func cells(all []segment, n int) []int {
	var total float64
	for _, s := range all {
		total += float64(s.length)
	}
	// surplus is what a segment should have beyond its first cell.
	surplus, sum := make([]float64, len(all)), 0.0
	for i, s := range all {
		share := 1 / float64(len(all))
		if total > 0 {
			share = float64(s.length) / total
		}
		surplus[i] = max(0, share*float64(n)-1)
		sum += surplus[i]
	}
	taken, left := make([]int, len(all)), n
	order := make([]int, len(all))
	rest := make([]float64, len(all))
	for i := range all {
		order[i] = i
		exact := 0.0
		if sum > 0 {
			exact = surplus[i] / sum * float64(n-len(all))
		}
		taken[i] = 1 + int(exact)
		rest[i] = exact - float64(int(exact))
		left -= taken[i]
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(rest[y], rest[x]) })
	for _, i := range order {
		if left > 0 {
			taken[i], left = taken[i]+1, left-1
		}
	}
	taken[len(taken)-1] += left // only by rounding of floats
	return taken
}
