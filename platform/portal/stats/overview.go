package stats

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// overview counts jobs over time.
type overview struct {
	grid grid
	end  time.Time
	// waiting and running have the change of the count in each bucket.
	waiting, running, failed []int
}

func newOverview(w Window, bars int, end time.Time) *overview {
	g := evenGrid(w, bars)
	return &overview{grid: g, end: end, waiting: make([]int, g.n+1), running: make([]int, g.n+1), failed: make([]int, g.n+1)}
}

// add adds a job.
func (o *overview) add(r *jobindex.Row) {
	for i := range r.Life {
		s := &r.Life[i]
		counts := o.waiting
		if s.State == job.Running {
			counts = o.running
		} else if !s.State.Waits() {
			continue
		}
		to := s.To
		if to.IsZero() {
			to = o.grid.To // the job is in the state
			if o.end.Before(to) {
				to = o.end.Add(1) // the state is known until then, and unknown later
			}
		}
		low, high := o.grid.beginsIn(s.From, to)
		if low < high {
			counts[low]++
			counts[high]--
		}
	}
	if at := endOf(r); r.State == job.Failed && o.grid.has(at) {
		o.failed[o.grid.bucket(at)]++
	}
}

// answer returns the bars.
func (o *overview) answer() *api.Overview {
	a := &api.Overview{From: o.grid.From, Step: o.grid.step.Seconds(), Buckets: []api.OverviewBar{}, Gaps: []api.Gap{}}
	waiting, running := 0, 0
	for i := range o.grid.n {
		waiting, running = waiting+o.waiting[i], running+o.running[i]
		a.Buckets = append(a.Buckets, api.OverviewBar{Waiting: waiting, Running: running, Failed: o.failed[i]})
	}
	return a
}
