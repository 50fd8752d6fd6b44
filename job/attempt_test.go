package job_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
)

// TestAttemptsOfSpans: an attempt is from its start to its end or restart, and the limit of two attempts
// is the middle between them.
func TestAttemptsOfSpans(t *testing.T) {
	for _, c := range []struct{ name, life, want string }{
		{"none", "Submitted 0, Queued 5", ""},
		{"one", "Queued 0, Starting 5, Running 6, Succeeded 20", "1: 5-20 ran 14"},
		{"it lasts", "Queued 0, Running 6", "1: 6-100 ran 94"},
		{"restarts", "Queued 0, Running 6, Restarting 10, Starting 12, Running 13, Restarting 20, Running 30, Failed 40", "1: 6-10 ran 4 over until 11; 2: 12-20 ran 7 over until 25 after 11; 3: 30-40 ran 10 after 25"},
		{"the second one has not begun", "Queued 0, Running 6, Restarting 10", "1: 6-10 ran 4 over"},
		{"preempted", "Queued 0, Running 6, Queued 10, Running 20", "1: 6-10 ran 4 over until 15; 2: 20-100 ran 80 after 15"},
		{"it starts again, and the pods of the attempt remain", "Queued 0, Running 6, Starting 10, Running 12, Failed 20", "1: 6-20 ran 12"},
		{"first seen while it restarted", "Restarting 10, Running 14", "1: 10-10 ran 0 over until 12; 2: 14-100 ran 86 after 12"},
	} {
		l := job.LifeOf(begin, transitions(c.life), minute(100))
		// Gaps change nothing.
		for _, spans := range [][]job.Span{l.Spans, job.Hatch(l.Spans, []job.Interval{{From: minute(8), To: minute(9)}, {From: minute(16), To: minute(35)}})} {
			var all []string
			for a := range job.Attempts(spans) {
				text := fmt.Sprintf("%d: %v-%v ran %v", a.Number, a.From.Sub(begin).Minutes(), a.To.Sub(begin).Minutes(), a.Ran.Minutes())
				if a.Over {
					text += " over"
				}
				if !a.Before.IsZero() {
					text += fmt.Sprint(" until ", a.Before.Sub(begin).Minutes())
				}
				if !a.After.IsZero() {
					text += fmt.Sprint(" after ", a.After.Sub(begin).Minutes())
				}
				all = append(all, text)
				if last := job.LastAttempt(spans); last.Number == a.Number && last != a {
					t.Errorf("%s: the last attempt is %+v, want %+v", c.name, last, a)
				}
			}
			if got := strings.Join(all, "; "); got != c.want {
				t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
			}
		}
	}
}

func TestAttemptAt(t *testing.T) {
	l := job.LifeOf(begin, transitions("Queued 0, Running 6, Restarting 10, Running 20"), minute(100))
	for at, want := range map[int]int{0: 1, 6: 1, 15: 1, 20: 2, 99: 2} {
		if got := job.AttemptAt(l.Spans, minute(at)); got != want {
			t.Errorf("minute %d: attempt %d, want %d", at, got, want)
		}
	}
}

// TestHas: an ending at the limit belongs to the attempt before it.
func TestHas(t *testing.T) {
	l := job.LifeOf(begin, transitions("Running 0, Restarting 10, Running 20"), minute(100))
	var got []string
	for a := range job.Attempts(l.Spans) {
		for _, m := range []int{-1, 0, 15, 16, 200} {
			if a.Has(minute(m)) {
				got = append(got, fmt.Sprint(a.Number, " ", m))
			}
		}
	}
	if text := strings.Join(got, ", "); text != "1 -1, 1 0, 1 15, 2 16, 2 200" {
		t.Errorf("got %s", text)
	}
}
