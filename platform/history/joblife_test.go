package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// minute returns a time in minutes after the tests begin.
func minute(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

func TestLifeOf(t *testing.T) {
	for _, c := range []struct {
		name, entries string // states with minutes
		want          string // states with lengths; waited, ran and tries
	}{
		{"a run", "Queued 1, Starting 5, Running 6, Succeeded 20", "Queued 5, Starting 1, Running 14; 5 14 1"},
		{"it runs", "Submitted 0, Running 6", "Submitted 6, Running 94; 6 94 1"},
		{"restarts", "Queued 1, Running 6, Restarting 10, Starting 11, Running 12, Restarting 20, Running 21", "Queued 6, Running 4, Restarting 1, Starting 1, Running 8, Restarting 1, Running 79; 6 91 3"},
		{"seen late", "Running 30, Failed 40", "gap 30, Running 10; 0 10 1"},
		{"clocks differ", "Queued 10, Running 5, Failed 20", "Queued 5, Running 15; 5 15 1"},
		{"it continues", "Queued 1, Aborted 5, Running 9", "Queued 5, Running 91; 5 91 1"},
		{"nothing", "", "; 0 0 1"},
	} {
		var entries []history.Entry
		for part := range strings.SplitSeq(c.entries, ", ") {
			var e history.Entry
			var n int
			if _, err := fmt.Sscanf(part, "%s %d", &e.To, &n); err == nil {
				e.At = minute(n)
				entries = append(entries, e)
			}
		}
		end := minute(100)
		if n := len(entries); n > 0 && entries[n-1].To.Final() {
			end = entries[n-1].At
		}
		l := history.LifeOf(begin, entries, end)
		var spans []string
		for i, s := range l.Spans {
			word := s.State
			if s.Gap {
				word = "gap"
			}
			spans = append(spans, fmt.Sprint(word, " ", s.To.Sub(s.From).Minutes()))
			if i > 0 && s.From.Before(l.Spans[i-1].To) {
				t.Errorf("%s: span %d begins before the previous one ends", c.name, i)
			}
		}
		if got := fmt.Sprintf("%s; %v %v %d", strings.Join(spans, ", "), l.Waited.Minutes(), l.Ran.Minutes(), l.Tries); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestHatch(t *testing.T) {
	spans := []history.Span{{State: job.Queued, From: minute(0), To: minute(10)}, {State: job.Running, From: minute(10), To: minute(20)}, {State: job.Restarting, From: minute(20), To: minute(20)}}
	for _, c := range []struct {
		name string
		gaps [][2]int
		want string
	}{
		{"none", nil, "Queued 0-10, Running 10-20, Restarting 20-20"},
		{"within", [][2]int{{12, 15}}, "Queued 0-10, Running 10-12, gap 12-15, Running 15-20, Restarting 20-20"},
		{"across", [][2]int{{5, 12}}, "Queued 0-5, gap 5-10, gap 10-12, Running 12-20, Restarting 20-20"},
		{"overlapping, in any order", [][2]int{{14, 30}, {11, 15}}, "Queued 0-10, Running 10-11, gap 11-15, gap 15-20, gap 20-20"},
		{"elsewhere", [][2]int{{30, 40}}, "Queued 0-10, Running 10-20, Restarting 20-20"},
	} {
		var got []string
		var gaps []history.Gap
		for _, g := range c.gaps {
			gaps = append(gaps, history.Gap{Began: minute(g[0]), Ended: minute(g[1])})
		}
		for _, s := range history.Hatch(spans, gaps, minute(100)) {
			word := string(s.State)
			if s.Gap {
				word = "gap"
			}
			got = append(got, fmt.Sprintf("%s %v-%v", word, s.From.Sub(begin).Minutes(), s.To.Sub(begin).Minutes()))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, strings.Join(got, ", "), c.want)
		}
	}
}
