package stats

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// TestCauseOfLastAttempt: a job that finally fails enters Restarting for an instant after its last
// pod has failed. This restart does not begin an attempt.
func TestCauseOfLastAttempt(t *testing.T) {
	at := func(n int) time.Time { return time.Date(2026, 3, 1, 9, n, 0, 0, time.UTC) }
	life := []history.Span{
		{State: job.Running, From: at(0), To: at(10)},
		{State: job.Restarting, From: at(10), To: at(12)},
		{State: job.Running, From: at(12), To: at(20)},
		{State: job.Restarting, From: at(20), To: at(20)},
		{State: job.Failed, From: at(20)},
	}
	first, last := &podEnd{at: at(10), failed: true, cause: "OOMKilled"}, &podEnd{at: at(19), failed: true, cause: "Error, exit code 1"}
	for _, c := range []struct {
		reason string
		life   []history.Span
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
