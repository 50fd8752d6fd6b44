package stats_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/stats"
)

// rows returns the rows of a query, read one by one.
func rows(t *rapid.T, x *jobindex.Index, q jobindex.Query) (all []jobindex.Row) {
	err := x.View(func(v *jobindex.View) error {
		v.Each(q, func(r *jobindex.Row) bool {
			row := *r
			row.Life = slices.Clone(r.Life) // the index reuses the row
			all = append(all, row)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// stateAt returns the state of a job at an instant; "" if it did not exist.
func stateAt(r *jobindex.Row, at time.Time) job.State {
	if !r.Ended.IsZero() && !at.Before(r.Ended) {
		return r.State
	}
	for _, s := range slices.Backward(r.Life) {
		if !s.From.After(at) {
			return s.State
		}
	}
	return ""
}

func drawQuery(t *rapid.T) (q jobindex.Query) {
	if rapid.Bool().Draw(t, "filtered") {
		q.Filter.Terms = []jobfilter.Term{{Key: jobfilter.Queue, Values: []string{"h100"}}}
	}
	if rapid.Bool().Draw(t, "restricted") {
		q.Sees = func(_, namespace string) bool { return namespace == "ml" }
	}
	if rapid.Bool().Draw(t, "past") {
		q.At = minutes(rapid.IntRange(0, 1000).Draw(t, "at"))
	}
	return q
}

func drawWindow(t *rapid.T, what string) stats.Window {
	from := rapid.IntRange(-60, 900).Draw(t, what)
	return stats.Window{From: minutes(from), To: minutes(from + rapid.IntRange(1, 700).Draw(t, what+" length"))}
}

// TestOverviewAgainstModel: each bar has as many jobs as are in the states at its beginning, and
// as many failures as its interval.
func TestOverviewAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		x := open(draw(t))
		q, w := drawQuery(t), drawWindow(t, "window")
		bars := rapid.IntRange(1, 50).Draw(t, "bars")
		got, err := stats.New(stats.Config{Index: x}).Overview(t.Context(), q, w, bars, "en")
		if err != nil {
			t.Fatal(err)
		}
		known := cmp.Or(q.At, time.Now())
		all := rows(t, x, q)
		step := time.Duration(math.Round(got.Step * float64(time.Second)))
		for i, bar := range got.Buckets {
			at := got.From.Add(time.Duration(i) * step)
			if d := at.Add(step).Sub(w.To); i == len(got.Buckets)-1 && (d < -time.Microsecond || d > step) {
				t.Fatalf("the last bar ends %v after the window", d)
			}
			var want api.OverviewBar
			for _, r := range all {
				if at.After(known) {
					break
				}
				switch s := stateAt(&r, at); {
				case s == job.Queued || s == job.Submitted:
					want.Waiting++
				case s == job.Running:
					want.Running++
				}
			}
			for _, r := range all {
				if r.State == job.Failed && !r.Ended.Before(at) && r.Ended.Before(at.Add(step)) && r.Ended.Before(w.To) {
					want.Failed++
				}
			}
			if bar != want {
				t.Fatalf("bar %d at %v: %+v, want %+v", i, at, bar, want)
			}
		}
	})
}

// TestStatsAgainstModel: the sums of a period equal sums over all jobs one by one, and its parts
// add up.
func TestStatsAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		x := open(draw(t))
		q, w, before := drawQuery(t), drawWindow(t, "window"), drawWindow(t, "before")
		got, err := stats.New(stats.Config{Index: x}).Stats(t.Context(), q, w, before)
		if err != nil {
			t.Fatal(err)
		}
		all := rows(t, x, q)
		known := cmp.Or(q.At, time.Now())
		checkPeriod(t, &got.Now, w, all, known)
		checkPeriod(t, got.Before, before, all, known)
	})
}

// checkPeriod compares a period with a period computed job by job.
func checkPeriod(t *rapid.T, got *api.Period, w stats.Window, all []jobindex.Row, known time.Time) {
	ended, failed := map[string]int{}, 0
	var waits, rans []float64
	var hours api.GPUHours
	for _, r := range all {
		if r.State.Final() && !r.Ended.Before(w.From) && r.Ended.Before(w.To) {
			ended[string(r.State)]++
			if r.State == job.Failed {
				failed++
			}
			if r.Ran > 0 {
				rans = append(rans, r.Ran.Seconds())
			}
		}
		waited, ran := time.Duration(0), false
		for _, s := range r.Life {
			to := cmp.Or(s.To, known)
			part := max(0, earliest(to, w.To).Sub(latest(s.From, w.From)).Hours()) * float64(max(0, r.GPUs))
			if s.State == job.Running {
				if !ran && !s.From.Before(w.From) && s.From.Before(w.To) {
					waits = append(waits, waited.Seconds())
				}
				ran = true
				hours.Ran += part
			}
			if s.State == job.Queued || s.State == job.Submitted {
				waited += to.Sub(s.From)
				hours.Waited += part
			}
		}
	}
	for s, n := range ended {
		if got.Outcomes[s] != n {
			t.Fatalf("%d jobs ended as %s, want %d", got.Outcomes[s], s, n)
		}
	}
	if got.Waited != spread(waits) || got.Ran != spread(rans) {
		t.Fatalf("waited %+v, ran %+v; want %+v and %+v", got.Waited, got.Ran, spread(waits), spread(rans))
	}
	if !near(got.GPUHours, hours) {
		t.Fatalf("GPU hours %+v, want %+v", got.GPUHours, hours)
	}
	checkSums(t, got, failed)
}

// checkSums compares the parts of a period with their sums.
func checkSums(t *rapid.T, got *api.Period, failed int) {
	var byBucket, byOwner, byQueue api.GPUHours
	outcomes, owners, queues, ownerFailed, queueFailed, causes, waited, queueWaited := 0, 0, 0, 0, 0, 0, 0, 0
	for i, b := range got.Buckets {
		byBucket.Ran, byBucket.Waited = byBucket.Ran+b.GPUHours.Ran, byBucket.Waited+b.GPUHours.Waited
		waited += b.Waited.Count
		for _, n := range b.Outcomes {
			outcomes += n
		}
		if i > 0 && !b.From.After(got.Buckets[i-1].From) {
			t.Fatalf("bucket %d begins at %v", i, b.From)
		}
	}
	for _, o := range got.Owners {
		byOwner.Ran, byOwner.Waited = byOwner.Ran+o.Ran, byOwner.Waited+o.Waited
		owners, ownerFailed = owners+o.Jobs, ownerFailed+o.Failed
	}
	for _, o := range got.Queues {
		byQueue.Ran, byQueue.Waited = byQueue.Ran+o.GPUHours.Ran, byQueue.Waited+o.GPUHours.Waited
		queues, queueFailed, queueWaited = queues+o.Jobs, queueFailed+o.Failed, queueWaited+o.Waited.Count
	}
	for _, c := range got.Causes {
		causes += c.Count
	}
	for what, n := range map[string][2]int{
		"outcomes of buckets": {outcomes, got.Ended}, "jobs of owners": {owners, got.Ended}, "jobs of queues": {queues, got.Ended},
		"failures of owners": {ownerFailed, failed}, "failures of queues": {queueFailed, failed}, "causes": {causes, failed},
		"waits of buckets": {waited, got.Waited.Count}, "waits of queues": {queueWaited, got.Waited.Count},
	} {
		if n[0] != n[1] {
			t.Fatalf("%s: %d, want %d", what, n[0], n[1])
		}
	}
	if !near(byBucket, got.GPUHours) || !near(byOwner, got.GPUHours) || !near(byQueue, got.GPUHours) {
		t.Fatalf("GPU hours %+v, by bucket %+v, by owner %+v, by queue %+v", got.GPUHours, byBucket, byOwner, byQueue)
	}
}

func near(a, b api.GPUHours) bool {
	return math.Abs(a.Ran-b.Ran) < 1e-6*(1+a.Ran) && math.Abs(a.Waited-b.Waited) < 1e-6*(1+a.Waited)
}

// spread is the definition of api.Spread.
func spread(all []float64) (s api.Spread) {
	n := len(all)
	if n == 0 {
		return s
	}
	slices.Sort(all)
	rank := func(share float64) float64 { return all[int(math.Ceil(share*float64(n)-1e-9))-1] }
	return api.Spread{Count: n, Median: (all[(n-1)/2] + all[n/2]) / 2, P90: rank(0.90), P99: rank(0.99), Max: all[n-1]}
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
