package livestream

import (
	"math"
	"time"
)

const (
	// lagWindow is the window of Beat.Lag, in slots of a second.
	lagWindow = 60
	// lagBuckets is the number of logarithmic buckets: bucket i counts lags below 1 ms *
	// lagGrowth^i.
	lagBuckets = 80
	lagGrowth  = 1.25
)

// lags counts the ages of transitions at their arrival, for the last minute. The caller holds the
// lock.
type lags struct {
	slots [lagWindow]lagSlot
}

type lagSlot struct {
	second int64
	counts [lagBuckets]uint32
}

// add counts a transition that is lag old at now.
func (l *lags) add(now time.Time, lag time.Duration) {
	second := now.Unix()
	s := &l.slots[second%lagWindow]
	if s.second != second {
		*s = lagSlot{second: second}
	}
	s.counts[bucketOf(lag)]++
}

func bucketOf(lag time.Duration) int {
	ms := float64(lag) / float64(time.Millisecond)
	if ms <= 1 {
		return 0
	}
	return min(lagBuckets-1, int(math.Ceil(math.Log(ms)/math.Log(lagGrowth))))
}

// percentile returns the 99th percentile at now in seconds, rounded up to a bucket. It returns 0
// without transitions.
func (l *lags) percentile(now time.Time) float64 {
	var sum [lagBuckets]uint64
	var all uint64
	for i := range l.slots {
		s := &l.slots[i]
		if age := now.Unix() - s.second; age < 0 || age >= lagWindow {
			continue
		}
		for b, n := range s.counts {
			sum[b] += uint64(n)
			all += uint64(n)
		}
	}
	if all == 0 {
		return 0
	}
	left := all / 100 // the last bucket has no upper bound
	for b := lagBuckets - 1; b >= 0; b-- {
		if sum[b] > left {
			return math.Round(math.Pow(lagGrowth, float64(b))) / 1000
		}
		left -= sum[b]
	}
	return 0
}
