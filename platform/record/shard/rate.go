package shard

import (
	"math"
	"time"
)

// Sample describes the work of a holder.
type Sample struct {
	Ready     bool   // it has caught up
	Revisions uint64 // handled since the start
	Objects   int    // that exist
}

// rate measures the load of a shard, in revisions a minute.
type rate struct {
	began  time.Time
	last   uint64  // revisions at began
	smooth float64 // exponential average
	stored int64   // the stored load
	known  bool
}

// rateWindow is the interval of the measurement. Each one counts for a third of the
// average.
const rateWindow = 10 * time.Second

// objectsPerRevision is the number of existing objects that count as one revision a minute:
// they cost memory and lists.
const objectsPerRevision = 1000

// see adds a sample, and returns the load and whether it differs enough from the stored one
// to be stored. A new lease begins with begin.
func (r *rate) see(now time.Time, s Sample) (load int64, differs bool) {
	if r.began.IsZero() || s.Revisions < r.last {
		r.began, r.last = now, s.Revisions
		return 0, false
	}
	passed := now.Sub(r.began)
	if passed < rateWindow {
		return 0, false
	}
	latest := float64(s.Revisions-r.last) / passed.Minutes()
	if !r.known {
		r.smooth, r.known = latest, true
	} else {
		r.smooth += (latest - r.smooth) / 3
	}
	r.began, r.last = now, s.Revisions
	load = 1 + int64(math.Round(r.smooth)) + int64(s.Objects)/objectsPerRevision
	change := math.Abs(float64(load - r.stored))
	return load, change > 10 && change > float64(r.stored)/4
}
