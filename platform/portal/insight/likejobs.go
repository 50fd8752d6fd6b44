package insight

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/likely"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// likeDays is the period of the compared jobs.
const likeDays = 30

// enoughLike is the number of jobs at which a comparison stops widening, and leastLike the
// minimum.
const (
	enoughLike = 20
	leastLike  = 5
)

// sizes is an interval of numbers of GPUs, inclusive. The zero value is any size.
type sizes struct{ low, high int }

func (s sizes) has(gpus int) bool { return s == sizes{} || s.low <= gpus && gpus <= s.high }

// steps returns the sizes to try for a number of GPUs, the nearest first. Jobs of unknown size,
// which is negative, are like those of any size.
func steps(gpus int) []sizes {
	switch {
	case gpus < 0:
		return []sizes{{}}
	case gpus == 0:
		return []sizes{{-1, 0}, {}}
	}
	return []sizes{{gpus - gpus/4, gpus + gpus/2}, {(gpus + 1) / 2, 2 * gpus}, {(gpus + 3) / 4, 4 * gpus}, {}}
}

// like returns the waits of jobs of a size, widened until enough of them started.
func like(all []likely.Wait, gpus int) (of []likely.Wait, size sizes) {
	for _, size = range steps(gpus) {
		of = of[:0:0]
		starts := 0
		for _, w := range all {
			if size.has(w.GPUs) {
				of = append(of, w)
				if w.Started {
					starts++
				}
			}
		}
		if starts >= enoughLike {
			break
		}
	}
	return of, size
}

// what describes the compared jobs.
func (s sizes) what(sp *words.Speaker, queue string) string {
	any := s == sizes{}
	text := sp.Count("gpu", int64(s.high))
	if s.low < s.high && s.high > 0 {
		text = sp.Say("range", "low", words.Thousands(int64(s.low)), "high", text)
	}
	switch {
	case queue == "" && any:
		return sp.Say("like.any")
	case queue == "":
		return sp.Say("like.noQueue", "size", text)
	case any:
		return sp.Say("like.queue", "queue", queue)
	}
	return sp.Say("like.size", "size", text, "queue", queue)
}

// bars is the maximum number of bars of a histogram.
const bars = 16

// widths are the widths of bars.
var widths = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour,
}

// describe describes the waits of the jobs that started. It returns nil for too few.
func describe(of []likely.Wait, waited time.Duration) *api.LikeJobs {
	var lengths []time.Duration
	for _, w := range of {
		if w.Started {
			lengths = append(lengths, w.Left.Sub(w.Began))
		}
	}
	if len(lengths) < leastLike {
		return nil
	}
	slices.Sort(lengths)
	l := &api.LikeJobs{Days: likeDays, Jobs: len(lengths), Median: middle(lengths).Seconds()}
	reach := lengths[(len(lengths)-1)*19/20] // a few long waits must not squeeze the others
	width := widths[len(widths)-1]
	for _, w := range widths {
		if reach < bars*w {
			width = w
			break
		}
	}
	l.Step = width.Seconds()
	l.Histogram = make([]int, min(bars, 1+int(lengths[len(lengths)-1]/width)))
	for _, d := range lengths {
		l.Histogram[min(len(l.Histogram)-1, int(d/width))]++
		if d > waited {
			l.Longer++
		}
	}
	return l
}

// middle returns the median of sorted durations.
func middle(sorted []time.Duration) time.Duration {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// medianOf returns the median of durations, which it sorts.
func medianOf(all []time.Duration) time.Duration {
	slices.Sort(all)
	return middle(all)
}
