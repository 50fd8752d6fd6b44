package stats

import (
	"math/bits"
	"slices"
	"sort"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// spreadOf describes durations, and changes their order. A percentile is the shortest duration that
// at least this share of the durations does not exceed. The median of an even number is the mean of
// the two in the middle.
func spreadOf(all []time.Duration) (s api.Spread) {
	n := len(all)
	if n == 0 {
		return s
	}
	rank := func(percent int) int { return (n*percent+99)/100 - 1 }
	arrange(all, 0, []int{(n - 1) / 2, n / 2, rank(90), rank(99), n - 1}, 2*bits.Len(uint(n)))
	return api.Spread{
		Count: n, Median: ((all[(n-1)/2] + all[n/2]) / 2).Seconds(),
		P90: all[rank(90)].Seconds(), P99: all[rank(99)].Seconds(), Max: all[n-1].Seconds(),
	}
}

// arrange partitions durations so that each given place has the value that a sort would put there.
// all begins at the place first, and the places are sorted. It sorts short slices, and slices that
// depth partitions have not divided.
func arrange(all []time.Duration, first int, places []int, depth int) {
	if len(places) == 0 {
		return
	}
	if len(all) < 256 || depth == 0 {
		slices.Sort(all)
		return
	}
	n := len(all)
	few := []time.Duration{all[0], all[n/4], all[n/2], all[n/4*3], all[n-1]}
	slices.Sort(few)
	pivot := few[2]
	low, high := 0, n // values before low are smaller, and values from high are larger
	for i := 0; i < high; {
		switch d := all[i]; {
		case d < pivot:
			all[low], all[i] = d, all[low]
			low++
			i++
		case d > pivot:
			high--
			all[i], all[high] = all[high], d
		default:
			i++
		}
	}
	left, right := sort.SearchInts(places, first+low), sort.SearchInts(places, first+high)
	arrange(all[:low], first, places[:left], depth-1)
	arrange(all[high:], first+high, places[right:], depth-1)
}
