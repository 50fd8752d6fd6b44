package lives_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// answer is what a reader shows of a life. Numbers are seconds, or those after the creation; an empty
// text means that the reader does not show it.
type answer struct {
	state               string
	waited, first, ran  string
	attempts            string
	started, ended, all string // all has the times of the attempts
}

// parts are the fields of an answer with their names.
func (a *answer) parts() [][2]string {
	return [][2]string{{"state", a.state}, {"waited", a.waited}, {"first wait", a.first}, {"ran", a.ran}, {"attempts", a.attempts}, {"started", a.started}, {"ended", a.ended}, {"each attempt", a.all}}
}

// differs returns the differences of a reader's answer; "" if there are none.
func (a *answer) differs(got *answer) string {
	var all []string
	shown := got.parts()
	for i, want := range a.parts() {
		if text := shown[i][1]; text != "" && text != want[1] {
			all = append(all, fmt.Sprintf("%s %q, want %q", want[0], text, want[1]))
		}
	}
	return strings.Join(all, "; ")
}

// created is when all jobs were created.
var created = time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC)

// second returns an instant in seconds after the creation.
func second(n int) time.Time { return created.Add(time.Duration(n) * time.Second) }

// now is the instant of all questions.
const now = 1000

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }

// when shows an instant.
func when(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return seconds(at.Sub(created))
}

// until shows the end of an attempt.
func until(at time.Time) string {
	if at.IsZero() || at.Equal(second(now)) {
		return "now"
	}
	return when(at)
}

// attemptsOf shows the attempts in the spans of a life.
func attemptsOf(spans []job.Span) string {
	var all []string
	for a := range job.Attempts(spans) {
		ran := seconds(a.Ran)
		if a.To.IsZero() {
			ran = "" // the index knows no end
		}
		all = append(all, attemptText(a.From, a.To, ran))
	}
	return attemptList(all)
}

func attemptText(from, to time.Time, ran string) string {
	if until(to) == "now" {
		ran = "" // it depends on the moment of the question
	}
	return strings.TrimSpace(when(from) + "-" + until(to) + " " + ran)
}

func attemptList(all []string) string {
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}
