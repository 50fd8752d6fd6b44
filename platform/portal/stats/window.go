package stats

import "time"

// Window is an interval of time: From is inclusive, and To exclusive.
type Window struct{ From, To time.Time }

// empty reports whether no instant is in the window.
func (w Window) empty() bool { return !w.From.Before(w.To) }

// has reports whether an instant is in the window.
func (w Window) has(at time.Time) bool { return !at.IsZero() && !at.Before(w.From) && at.Before(w.To) }

// until returns the window up to an instant.
func (w Window) until(at time.Time) Window {
	if at.Before(w.To) {
		w.To = at
	}
	return w
}

// stepSizes are the lengths of buckets.
var stepSizes = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// grid divides a window into buckets. They begin at multiples of the step, except the first bucket,
// which begins with the window.
type grid struct {
	Window
	step  time.Duration
	first time.Time // multiple of the step at or before From
	n     int
}

// newGrid returns the finest grid with at most the given number of buckets.
func newGrid(w Window, most int) grid {
	g := grid{Window: w}
	for _, g.step = range stepSizes {
		g.first = w.From.Truncate(g.step)
		if g.n = int((w.To.Sub(g.first) + g.step - 1) / g.step); g.n <= most {
			return g
		}
	}
	g.step = w.To.Sub(w.From)/time.Duration(most) + 1
	g.first, g.n = w.From, most
	return g
}

// evenGrid returns a grid of equal buckets.
func evenGrid(w Window, n int) grid {
	n = max(1, n)
	return grid{Window: w, step: (w.To.Sub(w.From) + time.Duration(n) - 1) / time.Duration(n), first: w.From, n: n}
}

// begin returns the beginning of a bucket.
func (g *grid) begin(i int) time.Time {
	if i == 0 {
		return g.From
	}
	return g.first.Add(time.Duration(i) * g.step)
}

// bucket returns the bucket of an instant of the window.
func (g *grid) bucket(at time.Time) int {
	return max(0, min(g.n-1, int(at.Sub(g.first)/g.step)))
}

// beginsIn returns the half-open range of the buckets that begin in an interval.
func (g *grid) beginsIn(from, to time.Time) (low, high int) {
	return g.after(from), g.after(to)
}

// after returns the first bucket that begins at or after an instant; n if there is none.
func (g *grid) after(at time.Time) int {
	switch {
	case !at.After(g.From):
		return 0
	case !at.Before(g.To):
		return g.n
	}
	return min(g.n, int((at.Sub(g.first)+g.step-1)/g.step))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
