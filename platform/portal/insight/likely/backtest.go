package likely

import "time"

// A forecast is shown only if a backtest shows that its range holds.
const (
	LeastTested = 30   // jobs
	LeastHeld   = 0.75 // fraction of them, for a promised 0.8
	// The last quarter of the tested jobs, at least lastJobs, must not be much worse;
	// otherwise the queue has changed.
	leastHeldLately = 0.67
	lastJobs        = 20
	// mostTested limits the work of a backtest.
	mostTested = 300
)

// moments are the times waited at which a backtest predicts the start of a job. They do not
// depend on the final wait, which was unknown then.
var moments = []time.Duration{
	0, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 16 * time.Hour, 32 * time.Hour, 64 * time.Hour,
}

// Verdict is the result of a backtest.
type Verdict struct {
	Tested int     // jobs
	Held   float64 // fraction of the predictions that held
	Lately float64 // the same for the last jobs
}

// Holds reports whether a forecast may be shown.
func (v Verdict) Holds() bool {
	return v.Tested >= LeastTested && v.Held >= LeastHeld && v.Lately >= leastHeldLately
}

// Backtest predicts the starts of past jobs at several moments of their waits, each only from the
// data of that moment. It compares the ranges with the actual starts. all is in the order of the
// beginnings.
func Backtest(all []Wait, now time.Time) (v Verdict) {
	var done []trials // the newest job first
	for i := len(all) - 1; i >= 0 && len(done) < mostTested; i-- {
		if one := all[i].test(all, now); one.tried > 0 {
			done = append(done, one)
		}
	}
	v.Tested = len(done)
	v.Held = share(done)
	v.Lately = share(done[:min(len(done), max(len(done)/4, lastJobs))])
	return v
}

// trials are the predictions about one job that can be judged, and those that held. Each
// prediction counts the same: weighting by job would give short waits, which have few
// predictions, too much weight.
type trials struct{ held, tried int }

func share(all []trials) float64 {
	sum := trials{}
	for _, one := range all {
		sum.held, sum.tried = sum.held+one.held, sum.tried+one.tried
	}
	return float64(sum.held) / float64(max(1, sum.tried))
}

// test predicts the start of one job.
func (w *Wait) test(all []Wait, now time.Time) (t trials) {
	for _, waited := range moments {
		at := w.Began.Add(waited)
		if total, _ := w.waited(now); waited > 0 && total <= waited {
			break
		}
		f, ok := Predict(all, at, waited)
		if !ok {
			continue
		}
		start := w.Left
		if !w.Started { // a job that waits, or left the line: it did not start before this
			if start.IsZero() || start.After(now) {
				start = now
			}
			if !start.After(at.Add(f.Late)) {
				continue
			}
		}
		t.tried++
		if !start.Before(at.Add(f.Early)) && !start.After(at.Add(f.Late)) {
			t.held++
		}
	}
	return t
}
