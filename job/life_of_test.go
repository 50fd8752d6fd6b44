package job_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
)

// transitions parses transitions: states with minutes.
func transitions(text string) (all []job.Transition) {
	for part := range strings.SplitSeq(text, ", ") {
		var t job.Transition
		var n int
		if _, err := fmt.Sscanf(part, "%s %d", &t.To, &n); err == nil {
			t.At = minute(n)
			all = append(all, t)
		}
	}
	return all
}

// summary returns the numbers of a life: waited, of that before the first run, ran, attempts, and
// the outcome.
func summary(l *job.Life) string {
	text := fmt.Sprintf("%v %v %v %d", l.Waited.Minutes(), l.FirstWait.Minutes(), l.Ran.Minutes(), l.Attempts)
	if !l.Whole {
		text += " in part"
	}
	if !l.Open() {
		text += fmt.Sprintf(" %s at %v", l.Outcome, l.Ended.Sub(begin).Minutes())
	}
	return text
}

// TestLifeOf checks the rules of LifeOf one by one. The last state lasts until minute 100.
func TestLifeOf(t *testing.T) {
	for _, c := range []struct {
		name, transitions string
		want              string
	}{
		{"a run", "Queued 1, Starting 5, Running 6, Succeeded 20", "Queued 0-5, Starting 5-6, Running 6-20; 5 5 14 1 Succeeded at 20"},
		{"it runs", "Submitted 0, Running 6", "Submitted 0-6, Running 6-100; 6 6 94 1"},
		{"restarts", "Queued 1, Running 6, Restarting 10, Starting 11, Running 12, Restarting 20, Running 21", "Queued 0-6, Running 6-10, Restarting 10-11, Starting 11-12, Running 12-20, Restarting 20-21, Running 21-100; 6 6 91 3"},
		{"it restarts now", "Queued 0, Running 6, Restarting 10", "Queued 0-6, Running 6-10, Restarting 10-100; 6 6 4 2"},
		{"no restart followed", "Queued 0, Running 6, Restarting 10, Failed 12", "Queued 0-6, Running 6-10, Restarting 10-12; 6 6 4 1 Failed at 12"},
		{"it waits for its restart", "Queued 0, Running 6, Restarting 10, Queued 12", "Queued 0-6, Running 6-10, Restarting 10-12, Queued 12-100; 94 6 4 2"},
		{"preempted", "Queued 0, Running 6, Queued 10", "Queued 0-6, Running 6-10, Queued 10-100; 96 6 4 1"},
		{"preempted and started again", "Queued 0, Running 6, Queued 10, Starting 20, Running 21", "Queued 0-6, Running 6-10, Queued 10-20, Starting 20-21, Running 21-100; 16 6 83 2"},
		{"on hold is no wait", "Queued 0, Suspended 10, Queued 40, Running 45", "Queued 0-10, Suspended 10-40, Queued 40-45, Running 45-100; 15 15 55 1"},
		{"on hold from the beginning", "Suspended 0, Running 10", "Suspended 0-10, Running 10-100; 0 0 90 1"},
		{"suspended while it ran", "Running 0, Suspended 10, Starting 20, Running 21, Succeeded 30", "Running 0-10, Suspended 10-20, Starting 20-21, Running 21-30; 0 0 19 2 Succeeded at 30"},
		{"seen late", "Running 30, Failed 40", "gap 0-30, Running 30-40; 0 0 10 1 in part Failed at 40"},
		{"seen while it restarted", "Restarting 10, Running 20", "gap 0-10, Restarting 10-20, Running 20-100; 0 0 80 2 in part"},
		{"seen after its end", "Succeeded 30", "gap 0-30; 0 0 0 1 in part Succeeded at 30"},
		{"clocks differ", "Queued 10, Running 5, Failed 20", "Queued 0-10, Running 10-20; 10 10 10 1 Failed at 20"},
		{"clocks differ later", "Queued 0, Running 10, Queued 5, Running 20, Failed 30", "Queued 0-10, Running 10-10, Queued 10-20, Running 20-30; 20 10 10 2 Failed at 30"},
		{"it continues", "Queued 1, Running 3, Aborted 5, Restarting 8, Running 9", "Queued 0-3, Running 3-5, Restarting 8-9, Running 9-100; 3 3 93 2"},
		{"deleted in error", "Queued 0, Running 3, Deleted 5, Running 9", "Queued 0-3, Running 3-5, Running 9-100; 3 3 93 1"},
		{"deleted after its end", "Queued 0, Running 3, Failed 5, Deleted 9", "Queued 0-3, Running 3-5; 3 3 2 1 Failed at 5"},
		{"deleted while it ran", "Queued 0, Running 3, Deleted 9", "Queued 0-3, Running 3-9; 3 3 6 1 Deleted at 9"},
		{"two outcomes", "Running 0, Aborted 5, Failed 6, Deleted 9", "Running 0-5; 0 0 5 1 Failed at 6"},
		{"an unknown state", "Queued 0, Running 3, Odd 5, Running 9", "Queued 0-3, Running 3-5, Odd 5-9, Running 9-100; 3 3 93 1"},
		{"nothing", "", "; 0 0 0 1 in part"},
	} {
		l := job.LifeOf(begin, transitions(c.transitions), minute(100))
		if got := show(l.Spans) + "; " + summary(&l); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestLifeOfUnknown: without a creation time, the life begins with the first transition. Without an
// end, the last state takes no time.
func TestLifeOfUnknown(t *testing.T) {
	for text, want := range map[string]string{
		"Queued 5, Running 9":     "Queued 5-9, Running 9-9; 4 4 0 1",
		"Suspended 5, Starting 9": "Suspended 5-9, Starting 9-9; 0 0 0 1",
		"Running 9":               "Running 9-9; 0 0 0 1 in part",
		"Failed 9":                "; 0 0 0 1 in part Failed at 9",
	} {
		l := job.LifeOf(time.Time{}, transitions(text), time.Time{})
		if got := show(l.Spans) + "; " + summary(&l); got != want || !l.Submitted.Equal(transitions(text)[0].At) {
			t.Errorf("%s:\n got %s, submitted %v\nwant %s", text, got, l.Submitted, want)
		}
	}
}

// TestLifeTimes: the first run and the first wait in a queue count, and the reason of the outcome.
func TestLifeTimes(t *testing.T) {
	all := transitions("Submitted 0, Queued 2, Running 6, Queued 10, Running 20, Failed 30, Deleted 40")
	all[5].Reason, all[6].Reason = "BackoffLimitExceeded", "other"
	l := job.LifeOf(begin, all, minute(100))
	if !l.Submitted.Equal(begin) || !l.Queued.Equal(minute(2)) || !l.Started.Equal(minute(6)) || !l.Ended.Equal(minute(30)) || l.Reason != "BackoffLimitExceeded" || l.Restarts() != 1 {
		t.Errorf("got %+v", l)
	}
}

// TestSpansFollowEachOther: for all times and states, spans follow each other without overlap, no
// time counts twice, and numbers of attempts only grow.
func TestSpansFollowEachOther(t *testing.T) {
	states := append(job.States(), "", "Odd")
	testinput.Check(t, func(t *rapid.T) {
		var all []job.Transition
		for _, m := range rapid.SliceOfN(rapid.IntRange(-100, 100), 0, 30).Draw(t, "minutes") {
			all = append(all, job.Transition{To: rapid.SampledFrom(states).Draw(t, "state"), At: minute(m)})
		}
		created, until := rapid.SampledFrom([]time.Time{{}, begin, minute(50)}).Draw(t, "created"), rapid.SampledFrom([]time.Time{{}, minute(60)}).Draw(t, "until")
		l := job.LifeOf(created, all, until)
		spans := job.Hatch(l.Spans, []job.Interval{{From: minute(-1), To: minute(1)}, {From: minute(20), To: minute(30)}})
		var ran, waited, inAttempts time.Duration
		for i, s := range spans {
			if s.To.Before(s.From) || i > 0 && (s.From.Before(spans[i-1].To) || s.Attempt < spans[i-1].Attempt) || s.Attempt > l.Attempts {
				t.Fatalf("span %d of %+v", i, spans)
			}
			switch {
			case s.State == job.Running:
				ran += s.To.Sub(s.From)
			case s.State.Waits():
				waited += s.To.Sub(s.From)
			}
		}
		number := 0
		for a := range job.Attempts(spans) {
			if number++; a.Number != number || a.To.Before(a.From) {
				t.Fatalf("attempt %d is %+v", number, a)
			}
			inAttempts += a.Ran
		}
		if ran != l.Ran || waited != l.Waited || inAttempts != ran || l.FirstWait > l.Waited || number > l.Attempts || l.Attempts > number+1 {
			t.Fatalf("ran %v, waited %v, in attempts %v of %d: %+v", ran, waited, inAttempts, number, l)
		}
	})
}
