package lifestrip

import (
	"cmp"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
)

// Span is the time that a job spent in a state. Spans of a life follow each other.
type Span struct {
	State    job.State
	From, To time.Time
	// Gap is set if the job was not watched.
	Gap bool
}

// segment is a part of a life with one appearance.
type segment struct {
	appearance job.State
	length     time.Duration
}

// segments returns the spans of a life, with neighbors of the same appearance merged.
// Spans that end before they begin have no length.
func segments(spans []Span) (all []segment) {
	for _, s := range spans {
		one := segment{s.State, max(0, s.To.Sub(s.From))}
		if s.Gap {
			one.appearance = gap
		}
		all = append(all, one)
	}
	return merge(all)
}

// merge joins neighbors of the same appearance.
func merge(all []segment) (merged []segment) {
	for _, s := range all {
		if n := len(merged); n > 0 && merged[n-1].appearance == s.appearance {
			merged[n-1].length += s.length
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// dropShort drops the shortest segments until at most n are left. It drops the last
// segment of an appearance only when each appearance has just one.
func dropShort(all []segment, n int) []segment {
	for len(all) > n {
		seen := map[job.State]int{}
		for _, s := range all {
			seen[s.appearance]++
		}
		drop := make([]bool, len(all))
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(all[x].length, all[y].length) })
		// Neighbors of a dropped segment may merge, so drop half of the surplus at a time.
		left := max(1, (len(all)-n)/2)
		for _, i := range order {
			if left > 0 && (seen[all[i].appearance] > 1 || len(seen) == len(all)) {
				drop[i], left = true, left-1
				seen[all[i].appearance]--
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

// cells returns the number of cells for each segment: at least one of n, and otherwise
// proportional to its length. There are at most n segments.
func cells(all []segment, n int) []int {
	var total float64
	for _, s := range all {
		total += float64(s.length)
	}
	// surplus is the ideal number of cells of a segment beyond its first.
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
	taken[len(taken)-1] += left // only because of rounding
	return taken
}
