package notify

import (
	"time"

	"github.com/vedette-io/vedette/internal/buckets"
)

// LatencyBounds are the upper bounds of the buckets of a Histogram.
var LatencyBounds = [...]time.Duration{
	5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 10 * time.Minute, time.Hour,
}

// Histogram counts durations in one bucket for each of LatencyBounds, and one for longer
// durations.
type Histogram struct {
	Buckets [len(LatencyBounds) + 1]uint64
	Sum     time.Duration
}

// add counts a duration. Clocks can disagree, so a negative one counts as 0.
func (h *Histogram) add(d time.Duration) {
	d = max(d, 0)
	h.Buckets[buckets.Of(LatencyBounds[:], d)]++
	h.Sum += d
}

// Count returns the number of durations that were counted.
func (h *Histogram) Count() uint64 { return buckets.Count(h.Buckets[:]) }
