package stats

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// TestCauseOfLastAttempt: a job that finally fails enters Restarting for an instant after its last
// pod has failed. This restart does not begin an attempt.
func TestCauseOfLastAttempt(t *testing.T) {
	at := func(n int) time.Time { return time.Date(2026, 3, 1, 9, n, 0, 0, time.UTC) }
	life := job.LifeOf(at(0), []job.Transition{
		{To: job.Running, At: at(0)},
		{To: job.Restarting, At: at(10)},
		{To: job.Running, At: at(12)},
		{To: job.Restarting, At: at(20)},
		{To: job.Failed, At: at(20)},
	}, at(30)).Spans
	first, last := &podEnd{at: at(10), failed: true, cause: "OOMKilled"}, &podEnd{at: at(19), failed: true, cause: "Error, exit code 1"}
	for _, c := range []struct {
		reason string
		life   []job.Span
		pods   []*podEnd
		want   string
	}{
		{"BackoffLimitExceeded", life, []*podEnd{first, last}, "Error, exit code 1"},
		{"BackoffLimitExceeded", life, []*podEnd{first}, "BackoffLimitExceeded"}, // the failure of an earlier attempt is not the cause
		{"BackoffLimitExceeded", life[:1], []*podEnd{first}, "OOMKilled"},
		{"DeadlineExceeded", life, []*podEnd{first, last}, "DeadlineExceeded"},
	} {
		if got := causeOfJob(&jobindex.Row{Reason: c.reason, Life: c.life}, c.pods); got != c.want {
			t.Errorf("%s with %d pods: %q, want %q", c.reason, len(c.pods), got, c.want)
		}
	}
}
