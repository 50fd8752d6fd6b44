package record

import (
	"time"

	"github.com/vedette-io/vedette/internal/buckets"
)

// LagBounds are the upper bounds of the buckets of a Histogram.
var LagBounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
	time.Minute, 10 * time.Minute, time.Hour,
}

// SizeBounds are the upper bounds of Stats.Sizes, in revisions.
var SizeBounds = [...]int{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// Histogram counts durations in one bucket for each of LagBounds, and one bucket for longer
// durations.
type Histogram struct {
	Buckets [len(LagBounds) + 1]uint64
	Sum     time.Duration
}

// add counts a duration. A negative duration counts as 0, because clocks can disagree.
func (h *Histogram) add(d time.Duration) {
	d = max(d, 0)
	h.Buckets[buckets.Of(LagBounds[:], d)]++
	h.Sum += d
}

// Quantile returns the upper bound of the bucket that contains the q-quantile, or the last
// bound if the quantile exceeds it. It returns 0 for an empty histogram.
func (h *Histogram) Quantile(q float64) time.Duration {
	return buckets.Quantile(LagBounds[:], h.Buckets[:], q)
}
