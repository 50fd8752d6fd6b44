package facts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/notify/message"
)

var begin = time.Date(2026, 11, 22, 6, 20, 0, 0, time.UTC)

// steps returns transitions; each is a number of minutes after the beginning, and a state.
func steps(all ...any) (transitions []history.Transition) {
	for i := 0; i < len(all); i += 2 {
		minutes, _ := all[i].(int)
		to, _ := all[i+1].(job.State)
		transitions = append(transitions, history.Transition{To: string(to), Happened: begin.Add(time.Duration(minutes) * time.Minute)})
	}
	return transitions
}

func TestLife(t *testing.T) {
	for _, c := range []struct {
		name            string
		all             []history.Transition
		end             int
		waited, ran     int
		spans, attempts int
	}{
		{"waits", steps(0, job.Submitted, 5, job.Queued), 65, 65, 0, 2, 0},
		{"runs", steps(0, job.Queued, 43, job.Starting, 48, job.Running), 100, 43, 52, 3, 1},
		{"has ended", steps(0, job.Queued, 10, job.Running, 30, job.Succeeded), 90, 10, 20, 2, 1},
		{"three attempts", steps(0, job.Queued, 1, job.Starting, 2, job.Running, 12, job.Restarting, 13, job.Starting, 14, job.Running, 24, job.Restarting,
			25, job.Running, 35, job.Failed), 35, 1, 30, 8, 3},
		{"on hold is no wait", steps(0, job.Queued, 10, job.Suspended, 40, job.Queued, 45, job.Running), 50, 15, 5, 4, 1},
		{"seen first while it was restarting", steps(0, job.Restarting, 5, job.Running), 10, 0, 5, 2, 2},
		{"clocks differ", steps(0, job.Queued, 10, job.Running, 5, job.Failed), 5, 10, 0, 2, 1},
		{"nothing", nil, 5, 0, 0, 0, 0},
	} {
		waited, ran, spans, attempts := facts.Life(c.all, time.Time{}, begin.Add(time.Duration(c.end)*time.Minute), true)
		if waited != time.Duration(c.waited)*time.Minute || ran != time.Duration(c.ran)*time.Minute || len(spans) != c.spans || attempts != c.attempts {
			t.Errorf("%s: waited %v, ran %v, %d spans, %d attempts", c.name, waited, ran, len(spans), attempts)
		}
	}
}

// TestLastRun: the run that a transition ended counts, not the run that it begins.
func TestLastRun(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []history.Transition
		want int // minutes; -1: none
	}{
		{"has failed", steps(0, job.Queued, 10, job.Running, 30, job.Failed), 10},
		{"first seen while it ran", steps(5, job.Running, 30, job.Failed), 5},
		{"within one second", steps(5, job.Running, 5, job.Failed), 5},
		{"ended twice", steps(0, job.Running, 5, job.Restarting, 6, job.Running, 9, job.Failed), 6},
		{"waits for the next run", steps(0, job.Running, 5, job.Restarting), 0},
		{"begins again", steps(0, job.Running, 5, job.Restarting, 6, job.Running), 0},
		{"begins", steps(0, job.Queued, 5, job.Running), -1},
		{"never ran", steps(0, job.Queued, 5, job.Failed), -1},
	} {
		want := time.Time{}
		if c.want >= 0 {
			want = begin.Add(time.Duration(c.want) * time.Minute)
		}
		if got := facts.LastRun(c.all); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

func TestHatch(t *testing.T) {
	at := func(minutes int) time.Time { return begin.Add(time.Duration(minutes) * time.Minute) }
	life := []message.Span{{State: job.Queued, From: at(0), To: at(10)}, {State: job.Running, From: at(10), To: at(30), Attempt: 1}}
	for _, c := range []struct {
		name string
		gaps []time.Time
		want string
	}{
		{"none", nil, "Queued 0-10 Running 10-30"},
		{"within a state", []time.Time{at(15), at(20)}, "Queued 0-10 Running 10-15 gap 15-20 Running 20-30"},
		{"over two states", []time.Time{at(5), at(12)}, "Queued 0-5 gap 5-10 gap 10-12 Running 12-30"},
		{"two that overlap", []time.Time{at(12), at(16), at(14), at(18)}, "Queued 0-10 Running 10-12 gap 12-16 gap 16-18 Running 18-30"},
		{"longer than the life", []time.Time{at(-5), at(60)}, "gap 0-10 gap 10-30"},
		{"elsewhere", []time.Time{at(40), at(50)}, "Queued 0-10 Running 10-30"},
	} {
		var got []string
		for _, s := range facts.Hatch(life, c.gaps...) {
			word := string(s.State)
			if s.Gap {
				word = "gap"
			}
			got = append(got, fmt.Sprintf("%s %.0f-%.0f", word, s.From.Sub(begin).Minutes(), s.To.Sub(begin).Minutes()))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// TestSpansFollowEachOther: for all times and states, spans follow each other without
// overlap, and attempt numbers only grow.
func TestSpansFollowEachOther(t *testing.T) {
	states := []job.State{job.Submitted, job.Queued, job.Suspended, job.Starting, job.Running, job.Restarting, job.Succeeded, job.Failed, job.Aborted, job.Deleted, "", "Odd"}
	testinput.Check(t, func(t *rapid.T) {
		var all []history.Transition
		for _, minutes := range rapid.SliceOfN(rapid.IntRange(-100, 100), 0, 30).Draw(t, "minutes") {
			all = append(all, history.Transition{To: string(rapid.SampledFrom(states).Draw(t, "state")), Happened: begin.Add(time.Duration(minutes) * time.Minute)})
		}
		_, _, spans, attempts := facts.Life(all, begin, begin.Add(time.Hour), rapid.Bool().Draw(t, "whole"))
		spans = facts.Hatch(spans, begin.Add(-time.Minute), begin.Add(time.Minute), begin.Add(20*time.Minute), begin.Add(30*time.Minute))
		for i, s := range spans {
			if s.To.Before(s.From) || i > 0 && (s.From.Before(spans[i-1].To) || s.Attempt < spans[i-1].Attempt) || s.Attempt > attempts {
				t.Fatalf("span %d of %+v", i, spans)
			}
		}
	})
}
