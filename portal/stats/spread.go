package stats

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/portal/api"
)

// spreadOf describes durations, which it sorts. A percentile is the shortest duration that at
// least so many percent of them do not exceed; the median of an even number is the mean of the
// two in the middle.
func spreadOf(all []time.Duration) (s api.Spread) {
	n := len(all)
	if n == 0 {
		return s
	}
	slices.Sort(all)
	rank := func(percent int) float64 { return all[(n*percent+99)/100-1].Seconds() }
	return api.Spread{
		Count: n, Median: ((all[(n-1)/2] + all[n/2]) / 2).Seconds(),
		P90: rank(90), P99: rank(99), Max: all[n-1].Seconds(),
	}
}
