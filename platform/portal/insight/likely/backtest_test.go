package likely_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/insight/likely"
)

var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// queue returns the history of a queue: a job every 20 minutes, with exponentially
// distributed waits; their mean may depend on the time. now is the end of the history. The
// seeds of tests are fixed, because what they say about a history holds for most, not for all.
func queue(seed uint64, jobs int, mean func(at time.Time) time.Duration) (all []likely.Wait, now time.Time) {
	random := rand.New(rand.NewPCG(seed, 1))
	now = begin.Add(time.Duration(jobs) * 20 * time.Minute)
	for i := range jobs {
		w := likely.Wait{GPUs: 8, Began: begin.Add(time.Duration(i) * 20 * time.Minute)}
		length := time.Duration(-math.Log(1-random.Float64()) * float64(mean(w.Began)))
		if left := w.Began.Add(length); left.Before(now) {
			w.Left, w.Started = left, true
		}
		all = append(all, w)
	}
	return all, now
}

// TestStationaryQueue: in a queue that does not change, the range is shown, and it holds for
// jobs that come afterwards.
func TestStationaryQueue(t *testing.T) {
	held, tried := 0, 0
	for seed := range uint64(20) {
		all, now := queue(seed, 600, func(time.Time) time.Duration { return 40 * time.Minute })
		v := likely.Backtest(all, now)
		if !v.Holds() || v.Tested < 100 || v.Held < 0.75 || v.Held > 0.95 {
			t.Errorf("seed %d: got %+v, want at least 100 tested and 75%% to 95%% held", seed, v)
		}
		f, ok := likely.Predict(all, now, 0)
		if !ok || f.Early >= f.Half || f.Half >= f.Late {
			t.Fatalf("seed %d: the range is %+v", seed, f)
		}
		future, _ := queue(seed+1000, 100, func(time.Time) time.Duration { return 40 * time.Minute })
		for _, w := range future {
			if w.Started {
				tried++
				if d := w.Left.Sub(w.Began); d >= f.Early && d <= f.Late {
					held++
				}
			}
		}
	}
	if share := float64(held) / float64(tried); share < 0.75 || share > 0.85 {
		t.Errorf("the range held for %.3f of %d jobs, want about 0.8", share, tried)
	}
}

// TestChangedQueue: after the waits of a queue have become ten times as long, no range is shown
// until enough new waits are known.
func TestChangedQueue(t *testing.T) {
	for seed := range uint64(20) {
		change := begin.Add(600 * 20 * time.Minute)
		mean := func(at time.Time) time.Duration {
			if at.Before(change) {
				return 30 * time.Minute
			}
			return 6 * time.Hour
		}
		all, now := queue(seed, 680, mean)
		if v := likely.Backtest(all, now); v.Holds() {
			t.Errorf("seed %d: shown, with %+v", seed, v)
		}
		all, now = queue(seed, 1400, mean)
		if v := likely.Backtest(all, now); !v.Holds() {
			t.Errorf("seed %d: long after the change not shown, with %+v", seed, v)
		}
	}
}

// TestStuckQueue: jobs no longer start, so no range is shown.
func TestStuckQueue(t *testing.T) {
	all, now := queue(7, 400, func(time.Time) time.Duration { return 30 * time.Minute })
	for i := range all {
		if i >= 320 {
			all[i].Left, all[i].Started = time.Time{}, false
		}
	}
	if v := likely.Backtest(all, now); v.Holds() {
		t.Errorf("the forecast is shown with %+v, want it hidden", v)
	}
}

// TestFewJobs: a short history shows nothing.
func TestFewJobs(t *testing.T) {
	for jobs := range 40 {
		all, now := queue(3, jobs, func(time.Time) time.Duration { return 10 * time.Minute })
		if v := likely.Backtest(all, now); v.Holds() {
			t.Errorf("%d jobs: shown, with %+v", jobs, v)
		}
	}
}

// TestOnlyThePast: a prediction does not depend on later events.
func TestOnlyThePast(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		all, now := queue(rapid.Uint64().Draw(t, "seed"), 200, func(time.Time) time.Duration { return time.Hour })
		at := begin.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "minutes")) * time.Minute)
		waited := time.Duration(rapid.IntRange(0, 200).Draw(t, "waited")) * time.Minute
		known := slices.Clone(all)
		for i := range known {
			if w := &known[i]; w.Left.IsZero() || w.Left.After(at) {
				// The moment must not depend on the start of the job.
				w.Left, w.Started = at.Add(time.Duration(rapid.IntRange(1, 9000).Draw(t, "later"))*time.Minute), rapid.Bool().Draw(t, "starts")
			}
		}
		known = slices.DeleteFunc(known, func(w likely.Wait) bool { return !w.Began.Before(at) && rapid.Bool().Draw(t, "unseen") })
		a, ok := likely.Predict(all, at, waited)
		b, same := likely.Predict(known, at, waited)
		if a != b || ok != same {
			t.Fatalf("at %v (now %v): %v %v, with another future %v %v", at, now, a, ok, b, same)
		}
	})
}

// TestHolds: a verdict holds if enough predictions about enough jobs held, also of the last ones.
func TestHolds(t *testing.T) {
	for v, want := range map[likely.Verdict]bool{
		{Tested: 30, Held: 0.75, Lately: 0.67}: true, {Tested: 29, Held: 1, Lately: 1}: false,
		{Tested: 300, Held: 0.74, Lately: 1}: false, {Tested: 300, Held: 0.9, Lately: 0.66}: false,
	} {
		if v.Holds() != want {
			t.Errorf("%+v holds: got %v, want %v", v, v.Holds(), want)
		}
	}
}
