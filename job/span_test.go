package job_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
)

var begin = time.Date(2026, 11, 22, 6, 20, 0, 0, time.UTC)

// minute returns a time in minutes after the tests begin.
func minute(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

// show returns spans as text: states with the minutes of their times.
func show(spans []job.Span) string {
	var all []string
	for _, s := range spans {
		word := string(s.State)
		if s.Gap {
			word = "gap"
		}
		all = append(all, fmt.Sprintf("%s %v-%v", word, s.From.Sub(begin).Minutes(), s.To.Sub(begin).Minutes()))
	}
	return strings.Join(all, ", ")
}

func TestHatch(t *testing.T) {
	spans := []job.Span{{State: job.Queued, From: minute(0), To: minute(10)}, {State: job.Running, From: minute(10), To: minute(20)}, {State: job.Restarting, From: minute(20), To: minute(20)}}
	for _, c := range []struct {
		name string
		gaps [][2]int
		want string
	}{
		{"none", nil, "Queued 0-10, Running 10-20, Restarting 20-20"},
		{"within", [][2]int{{12, 15}}, "Queued 0-10, Running 10-12, gap 12-15, Running 15-20, Restarting 20-20"},
		{"across", [][2]int{{5, 12}}, "Queued 0-5, gap 5-10, gap 10-12, Running 12-20, Restarting 20-20"},
		{"overlapping, in any order", [][2]int{{14, 30}, {11, 15}}, "Queued 0-10, Running 10-11, gap 11-15, gap 15-20, gap 20-20"},
		{"one contains another", [][2]int{{12, 13}, {11, 18}}, "Queued 0-10, Running 10-11, gap 11-18, Running 18-20, Restarting 20-20"},
		{"longer than the life", [][2]int{{-5, 60}}, "gap 0-10, gap 10-20, gap 20-20"},
		{"elsewhere", [][2]int{{30, 40}}, "Queued 0-10, Running 10-20, Restarting 20-20"},
	} {
		var gaps []job.Interval
		for _, g := range c.gaps {
			gaps = append(gaps, job.Interval{From: minute(g[0]), To: minute(g[1])})
		}
		if got := show(job.Hatch(spans, gaps)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestLastRunAndWait(t *testing.T) {
	for _, c := range []struct {
		life      string
		run, wait int // minutes; -1: none
	}{
		{"Queued 0, Running 10, Failed 30", 10, -1},
		{"Running 5, Running 5", 5, -1},
		{"Running 0, Restarting 5, Running 6, Failed 9", 6, -1},
		{"Submitted 0, Queued 5", -1, 0},
		{"Queued 0, Running 10, Queued 20, Submitted 30", 10, 20},
		{"", -1, -1},
	} {
		l := job.LifeOf(time.Time{}, transitions(c.life), minute(100))
		at := func(n int) (at time.Time) {
			if n >= 0 {
				at = minute(n)
			}
			return at
		}
		if run, wait := job.LastRun(l.Spans), job.LastWait(l.Spans); !run.Equal(at(c.run)) || !wait.Equal(at(c.wait)) {
			t.Errorf("%s: the last run began at %v, and the wait at %v", c.life, run, wait)
		}
	}
}
