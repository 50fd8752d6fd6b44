package record

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/state"
)

// TypeStats says how the objects of one type have fared in a stretch of time.
type TypeStats struct {
	Type Type
	// Objects is how many were there within the time.
	Objects int
	// InState is the time that they have spent in each state, all together, within the
	// time. Objects that are in a state still count up to its end.
	InState map[string]time.Duration
	// Outcomes counts objects that have come to their end within the time, by the state that
	// they ended in; those that were deleted before they had ended as Deleted.
	Outcomes map[string]int
	// Waiting is from when an object was seen first until it ran first, of those that came
	// to run within the time, and of those that wait at its end.
	Waiting Spread
	// Running is all the time that an object ran, of those that have stopped within the
	// time, and of those that run at its end.
	Running Spread
	// ByQueue, BySubmitter and ByNamespace count outcomes.
	ByQueue, BySubmitter, ByNamespace map[string]Ends
}

// Ends counts how objects have ended.
type Ends struct{ Ended, Failed int }

// Spread is how durations are spread.
type Spread struct {
	// Count is how many there are; of those, Open are not at their end, and count as
	// they are.
	Count, Open   int
	P50, P90, Max time.Duration
}

// sample collects durations; 8 bytes each.
type sample struct {
	all  []time.Duration
	open int
}

func (s *sample) add(d time.Duration, open bool) {
	if s.all = append(s.all, d); open {
		s.open++
	}
}

func (s *sample) spread() Spread {
	n := len(s.all)
	if n == 0 {
		return Spread{}
	}
	slices.Sort(s.all)
	// The smallest that so many are not above.
	at := func(percent int) time.Duration { return s.all[(n*percent+99)/100-1] }
	return Spread{Count: n, Open: s.open, P50: at(50), P90: at(90), Max: s.all[n-1]}
}

// tally is what is counted of one type.
type tally struct {
	TypeStats
	waiting, running sample
}

// statsChunk is how many objects are read at once.
const statsChunk = 1000

// Stats counts what has become of objects, for each type. Since and Until of the filter are the
// time that counts; without Until, up to now. States of the filter are left aside.
//
// It reads every transition of the objects that were there within the time, in some steps, and takes
// about 10 s for 1,000,000 of them; progress, if it is not nil, is called after each step with
// the number of objects so far. It takes 16 bytes of memory for each object.
//
// Errors: what the database says; the cause of ctx.
func (d *Database) Stats(ctx context.Context, f Filter, now time.Time, progress func(objects int)) ([]TypeStats, error) {
	if f.Until.IsZero() || f.Until.After(now) {
		f.Until = now
	}
	f.States = nil
	s, err := d.search(ctx, f)
	if err != nil || s.nothing {
		return nil, err
	}
	types := map[Type]*tally{}
	for after, seen := int64(0), 0; ; {
		lives, err := d.lives(ctx, s, after)
		if err != nil {
			return nil, err
		}
		if len(lives) == 0 {
			break
		}
		for _, l := range lives {
			t := types[l.object.Type]
			if t == nil {
				t = &tally{TypeStats: TypeStats{
					Type: l.object.Type, InState: map[string]time.Duration{}, Outcomes: map[string]int{},
					ByQueue: map[string]Ends{}, BySubmitter: map[string]Ends{}, ByNamespace: map[string]Ends{},
				}}
				types[l.object.Type] = t
			}
			t.count(l, f.Since, f.Until)
		}
		after = lives[len(lives)-1].object.ID
		if seen += len(lives); progress != nil {
			progress(seen)
		}
	}
	var all []TypeStats
	for _, t := range types {
		t.TypeStats.Waiting, t.TypeStats.Running = t.waiting.spread(), t.running.spread()
		all = append(all, t.TypeStats)
	}
	slices.SortFunc(all, func(x, y TypeStats) int { return strings.Compare(x.Type.String(), y.Type.String()) })
	return all, nil
}

// life is an object, and all its transitions in their order.
type life struct {
	object Object
	steps  []step
}

type step struct {
	to string
	at time.Time
}

// lives reads the lives of the next objects that were there within the time.
func (d *Database) lives(ctx context.Context, s *search, after int64) (lives []*life, err error) {
	conditions := append([]string{"o.id > ?", "(o.gone_at = 0 OR o.gone_at >= ?)", "o.version > 0"}, s.conditions...)
	args := append([]any{after, s.from}, s.args...)
	var ids []int64
	of := map[int64]*life{}
	err = d.rows(ctx, "SELECT "+objectColumnsRead+" FROM objects o"+d.JoinInOrder(objectJoins)+" WHERE "+strings.Join(conditions, " AND ")+" ORDER BY o.id LIMIT ?", append(args, statsChunk), func(rows *sql.Rows) error {
		var o objectRow
		l := &life{}
		err := rows.Scan(o.into(&l.object)...)
		o.finish(&l.object)
		lives, ids, of[l.object.ID] = append(lives, l), append(ids, l.object.ID), l
		return err
	})
	if err != nil || ids == nil {
		return nil, err
	}
	err = d.rows(ctx, "SELECT object_id, to_state, happened_at FROM transitions WHERE object_id IN "+numbers(ids)+" ORDER BY object_id, version", nil, func(rows *sql.Rows) error {
		var id, at int64
		var to string
		if err := rows.Scan(&id, &to, &at); err != nil {
			return err
		}
		l := of[id]
		when := moment(at)
		if n := len(l.steps); n > 0 && when.Before(l.steps[n-1].at) {
			when = l.steps[n-1].at // clocks differ
		}
		l.steps = append(l.steps, step{to, when})
		return nil
	})
	return lives, err
}

// waits are the states of objects that are to run.
var waits = []state.State{state.Submitted, state.Queued, state.Suspended, state.Starting, state.Restarting}

// count adds one object, as it was from since until until.
func (t *tally) count(l *life, since, until time.Time) {
	for len(l.steps) > 0 && !l.steps[len(l.steps)-1].at.Before(until) {
		l.steps = l.steps[:len(l.steps)-1] // that was not known then
	}
	if len(l.steps) == 0 {
		return
	}
	t.Objects++
	last := l.steps[len(l.steps)-1]
	if p := l.object.Presence; p != there.String() && p != deleted.String() {
		until = last.at // what has become of it is not known
	}
	within := func(at time.Time) bool { return !at.Before(since) }
	var ran time.Duration
	var firstRun, lastRun time.Time // when it ran first, and when last
	for i, s := range l.steps {
		end := until
		if i+1 < len(l.steps) {
			end = l.steps[i+1].at
		}
		if from := latest(s.at, since); end.After(from) && s.to != string(state.Deleted) {
			t.InState[s.to] += end.Sub(from)
		}
		if s.to == string(state.Running) {
			if ran += end.Sub(s.at); firstRun.IsZero() {
				firstRun = s.at
			}
			lastRun = end
		}
	}
	born, final := l.steps[0].at, state.State(last.to).Final()
	switch {
	case !firstRun.IsZero() && within(firstRun):
		t.waiting.add(firstRun.Sub(born), false)
	case firstRun.IsZero() && slices.Contains(waits, state.State(last.to)):
		t.waiting.add(until.Sub(born), true)
	}
	switch running := last.to == string(state.Running); {
	case running:
		t.running.add(ran, true)
	case !firstRun.IsZero() && within(lastRun):
		t.running.add(ran, false)
	}
	if final {
		t.end(l, within)
	}
}

// end counts the outcome of an object: its last state, or the one before it was
// deleted.
func (t *tally) end(l *life, within func(time.Time) bool) {
	outcome := l.steps[len(l.steps)-1]
	if n := len(l.steps); n > 1 && outcome.to == string(state.Deleted) && state.State(l.steps[n-2].to).Final() {
		outcome = l.steps[n-2]
	}
	if !within(outcome.at) {
		return
	}
	t.Outcomes[outcome.to]++
	for value, by := range map[*string]map[string]Ends{&l.object.Queue: t.ByQueue, &l.object.Submitter: t.BySubmitter, &l.object.Namespace: t.ByNamespace} {
		e := by[*value]
		if e.Ended++; outcome.to == string(state.Failed) {
			e.Failed++
		}
		by[*value] = e
	}
}

func latest(x, y time.Time) time.Time {
	if x.Before(y) {
		return y
	}
	return x
}
