package likely

import (
	"cmp"
	"slices"
	"time"
)

// Wait is the time that one job spent in the line of a queue.
type Wait struct {
	GPUs  int
	Began time.Time // when the job entered the line
	// Left is when it left the line: it started, or was stopped. Zero: it is in the line.
	Left    time.Time
	Started bool
}

// waited returns the length of the wait at an instant, and whether it had ended with a
// start. A stopped job would have waited longer.
func (w *Wait) waited(at time.Time) (d time.Duration, started bool) {
	if w.Left.IsZero() || w.Left.After(at) {
		return at.Sub(w.Began), false
	}
	return w.Left.Sub(w.Began), w.Started
}

// Forecast is the time until one in ten, half, and nine in ten of the jobs start that have
// waited as long as the job. The times count from now.
type Forecast struct{ Early, Half, Late time.Duration }

// recentWaits is the number of waits that a forecast uses, the last ones, so that it follows
// changes of the queue.
const recentWaits = 150

// leastStarts is the minimum number of these jobs that waited longer and started.
const leastStarts = 10

// Predict forecasts the start of a job that has waited for some time, from the waits of other jobs
// up to an instant. all is in the order of the beginnings. Jobs that still wait count: they show
// that waits get longer (the estimate of Kaplan and Meier).
func Predict(all []Wait, at time.Time, waited time.Duration) (f Forecast, ok bool) {
	end, _ := slices.BinarySearchFunc(all, at, func(w Wait, at time.Time) int { return w.Began.Compare(at) })
	known := make([]stay, 0, recentWaits)
	starts := 0
	for _, w := range all[max(0, end-recentWaits):end] {
		d, started := w.waited(at)
		if waited > 0 && d <= waited {
			continue
		}
		known = append(known, stay{d, started})
		if started {
			starts++
		}
	}
	if starts < leastStarts {
		return f, false
	}
	slices.SortFunc(known, func(a, b stay) int { return cmp.Compare(a.length, b.length) })
	return quantiles(known, waited)
}

// stay is the known part of a wait.
type stay struct {
	length  time.Duration
	started bool
}

// quantiles returns when the fraction of jobs that still wait falls to 90, 50 and 10
// percent. known is sorted. If a fraction is not reached, the forecast is unknown.
func quantiles(known []stay, waited time.Duration) (f Forecast, ok bool) {
	left := 1.0
	for i := 0; i < len(known); {
		length, starts, n := known[i].length, 0, 0
		for j := i; j < len(known) && known[j].length == length; j++ {
			n++
			if known[j].started {
				starts++
			}
		}
		before := left
		left *= 1 - float64(starts)/float64(len(known)-i)
		for _, q := range []struct {
			share float64
			into  *time.Duration
		}{{0.9, &f.Early}, {0.5, &f.Half}, {0.1, &f.Late}} {
			if before > q.share+1e-9 && left <= q.share+1e-9 {
				*q.into = length - waited
			}
		}
		i += n
	}
	return f, left <= 0.1+1e-9
}
