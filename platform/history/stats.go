package history

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TypeStats are the statistics of the objects of one type in a period.
type TypeStats struct {
	Type Type
	// Objects is the number of objects that existed in the period.
	Objects int
	// InState is the time within the period that the objects spent in each state, summed
	// over the objects. The current state counts up to the end of the period. Final states
	// have no time, because an object stays in its final state without end.
	InState map[string]time.Duration
	// Outcomes counts the objects that ended in the period, by outcome. Objects that were
	// deleted before they ended count as Deleted.
	Outcomes map[string]int
	// Waiting covers the time for which an object waited before its first run, for objects
	// whose first run began in the period, and for open objects that had not run at its end.
	// An object waits in the states Submitted and Queued, and not while it is on hold.
	Waiting Spread
	// Running covers the total running time of an object, for objects that stopped running
	// in the period, and for objects that run at its end.
	Running Spread
	// ByQueue, BySubmitter and ByNamespace count outcomes.
	ByQueue, BySubmitter, ByNamespace map[string]Ends
}

// Ends counts objects that ended, and the failed ones among them.
type Ends struct{ Ended, Failed int }

// Spread is a distribution of durations.
type Spread struct {
	// Count is the number of durations. Open is the number of durations that have not
	// ended; they count with their length so far.
	Count, Open   int
	P50, P90, Max time.Duration
}

// sample collects durations.
type sample struct {
	all  []time.Duration
	open int
}

func (s *sample) add(d time.Duration, open bool) {
	if s.all = append(s.all, d); open {
		s.open++
	}
}

// spread returns the distribution. A percentile is the smallest duration that at least this
// share of the durations does not exceed.
func (s *sample) spread() Spread {
	n := len(s.all)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(s.all)
	percentile := func(p int) time.Duration { return s.all[(n*p+99)/100-1] }
	return Spread{Count: n, Open: s.open, P50: percentile(50), P90: percentile(90), Max: s.all[n-1]}
}

// tally collects the statistics of one type.
type tally struct {
	TypeStats
	waiting, running sample
	life             job.Life // a buffer
}

func newTally(of Type) *tally {
	return &tally{TypeStats: TypeStats{
		Type: of, InState: map[string]time.Duration{}, Outcomes: map[string]int{},
		ByQueue: map[string]Ends{}, BySubmitter: map[string]Ends{}, ByNamespace: map[string]Ends{},
	}}
}

func typeStats(ctx context.Context, db *sqldb.DB, f Filter, now time.Time, progress func(objects int)) ([]TypeStats, error) {
	if f.Until.IsZero() || f.Until.After(now) {
		f.Until = now
	}
	f.States = nil
	s, err := f.resolve(ctx, db)
	if err != nil || s.nothing {
		return nil, err
	}
	tallies := map[Type]*tally{}
	for after, seen := int64(0), 0; ; {
		lives, err := readLives(ctx, db, s, after)
		if err != nil {
			return nil, err
		}
		if len(lives) == 0 {
			break
		}
		for _, l := range lives {
			t := tallies[l.object.Type]
			if t == nil {
				t = newTally(l.object.Type)
				tallies[l.object.Type] = t
			}
			t.add(l, f.Since, f.Until)
		}
		after = lives[len(lives)-1].object.ID
		if seen += len(lives); progress != nil {
			progress(seen)
		}
	}
	var all []TypeStats
	for _, t := range tallies {
		t.Waiting, t.Running = t.waiting.spread(), t.running.spread()
		all = append(all, t.TypeStats)
	}
	slices.SortFunc(all, func(x, y TypeStats) int { return strings.Compare(x.Type.String(), y.Type.String()) })
	return all, nil
}

// openStates are the states of objects that have not ended. Objects whose type has no rule have
// other states.
var openStates = job.OpenStates()

// add adds an object as it was in a period.
func (t *tally) add(l *life, since, until time.Time) {
	v := &t.life
	last, ok := l.read(v, until)
	if !ok {
		return
	}
	t.Objects++
	var stopped time.Time // the end of the last run
	for _, s := range v.Spans {
		if begin := latest(s.From, since); s.To.After(begin) && !s.Gap {
			t.InState[string(s.State)] += s.To.Sub(begin)
		}
		if s.State == job.Running {
			stopped = s.To
		}
	}
	switch ran := !v.Started.IsZero(); {
	case ran && !v.Started.Before(since):
		t.waiting.add(v.FirstWait, false)
	case !ran && slices.Contains(openStates, last):
		t.waiting.add(v.FirstWait, true)
	}
	switch {
	case last == job.Running:
		t.running.add(v.Ran, true)
	case !v.Started.IsZero() && !stopped.Before(since):
		t.running.add(v.Ran, false)
	}
	if !v.Open() && !v.Ended.Before(since) {
		t.addOutcome(l, v.Outcome)
	}
}

// addOutcome counts the outcome of an object.
func (t *tally) addOutcome(l *life, outcome job.State) {
	t.Outcomes[string(outcome)]++
	count := func(by map[string]Ends, value string) {
		e := by[value]
		if e.Ended++; outcome == job.Failed {
			e.Failed++
		}
		by[value] = e
	}
	count(t.ByQueue, l.object.Queue)
	count(t.BySubmitter, l.object.Submitter)
	count(t.ByNamespace, l.object.Namespace)
}

func latest(x, y time.Time) time.Time {
	if x.Before(y) {
		return y
	}
	return x
}
