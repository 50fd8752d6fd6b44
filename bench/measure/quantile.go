package measure

import (
	"cmp"
	"slices"
	"time"
)

// Names of the figures of a Latency, in seconds.
const (
	P50 = "p50"
	P99 = "p99"
	Max = "max"
)

// Curve is a distribution: the duration at each of Shares, in seconds.
type Curve []float64

// Shares are the quantiles of a Curve.
var Shares = []float64{0, .01, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99, .995, .998, .999, 1}

// Latency returns the curve of some durations, which it sorts, and adds their figures to
// f.
func Latency(all []time.Duration, f Figures) Curve {
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	at := func(share float64) float64 {
		return all[min(len(all)-1, int(share*float64(len(all))))].Seconds()
	}
	f[P50], f[P99], f[Max] = at(.5), at(.99), all[len(all)-1].Seconds()
	var curve Curve
	for _, share := range Shares {
		curve = append(curve, at(share))
	}
	return curve
}

// Median returns the median, which is the mean of the middle two of an even number of
// values, and zero of none. least and most are the minimum and the maximum.
func Median(values []float64) (median, least, most float64) {
	if len(values) == 0 {
		return 0, 0, 0
	}
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, cmp.Compare[float64])
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]
}
