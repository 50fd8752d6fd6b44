package facts_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/facts"
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

// TestWaited: the wait is known if the life is known from its beginning; the last wait always is.
func TestWaited(t *testing.T) {
	for _, c := range []struct {
		name       string
		all        []history.Transition
		whole      bool
		waits      int // minutes; -1: unknown
		lastWait   int
		fromBefore bool // the job was created two minutes before
	}{
		{"waits", steps(0, job.Submitted, 5, job.Queued), true, 65, 65, false},
		{"created before it was seen", steps(0, job.Queued), true, 67, 67, true},
		{"earlier transitions are too many", steps(0, job.Queued), false, -1, 65, true},
		{"runs", steps(0, job.Queued, 43, job.Starting, 48, job.Running), true, 43, -1, false},
		{"waits again", steps(0, job.Queued, 10, job.Running, 60, job.Queued), true, 15, 5, false},
		{"ran when it was first seen", steps(0, job.Running, 50, job.Queued), true, -1, 15, true},
		{"started at once", steps(0, job.Starting, 50, job.Running), true, -1, -1, false},
		{"nothing", nil, true, -1, -1, false},
	} {
		created := time.Time{}
		if c.fromBefore {
			created = begin.Add(-2 * time.Minute)
		}
		l := facts.NewLife(c.all, created, begin.Add(65*time.Minute), c.whole)
		for last, want := range map[bool]int{false: c.waits, true: c.lastWait} {
			got := -1
			if d, known := facts.WaitedIn(&l, last); known {
				got = int(d.Minutes())
			}
			if got != want {
				t.Errorf("%s (the last wait: %v): %d minutes, want %d", c.name, last, got, want)
			}
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
