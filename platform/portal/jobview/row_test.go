package jobview_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestDetail: the last column has the reason why a job waits or failed, or its node.
func TestDetail(t *testing.T) {
	exit := 137
	for _, c := range []struct {
		of     job.State
		reason string
		extra  jobview.Extra
		want   api.Detail
	}{
		{job.Queued, "QuotaExceeded", jobview.Extra{Place: 11, Message: "no quota"}, api.Detail{Word: "QuotaExceeded", More: "11th in line", Place: 11}},
		{job.Queued, "Unschedulable", jobview.Extra{Message: "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. preemption: none"}, api.Detail{Word: "Unschedulable", More: "0/4 nodes are available: 4 Insufficient nvidia.com/gpu"}},
		{job.Queued, "JobSuspended", jobview.Extra{Message: "waits for quota in queue gpu"}, api.Detail{Word: "waits for quota in queue gpu"}},
		{job.Queued, "JobSuspended", jobview.Extra{Message: "waits for quota in queue gpu-h100-of-research"}, api.Detail{Word: "waits for quota in queue gpu-h100-of-research"}},
		{job.Queued, "JobSuspended", jobview.Extra{Place: 3, Message: "waits"}, api.Detail{Word: "3rd in line", Place: 3}},
		{job.Queued, "JobSuspended", jobview.Extra{}, api.Detail{Word: "JobSuspended"}},
		{job.Queued, "InsufficientResources", jobview.Extra{Message: "8 GPUs of 4 are free"}, api.Detail{Word: "8 GPUs of 4 are free"}},
		{job.Aborted, "CancelledByTheOwnerOfIt", jobview.Extra{Message: "wrong data"}, api.Detail{Word: "CancelledByTheOwnerOfIt", More: "wrong data"}},
		{job.Submitted, "", jobview.Extra{}, api.Detail{}},
		{job.Starting, "PullingImage", jobview.Extra{Node: "n1", Message: "18.2 GB"}, api.Detail{Word: "PullingImage", More: "18.2 GB"}},
		{job.Starting, "", jobview.Extra{Node: "n1"}, api.Detail{Word: "n1"}},
		{job.Running, "", jobview.Extra{Node: "n1"}, api.Detail{Word: "n1"}},
		{job.Running, "", jobview.Extra{Node: "n1", MorePods: 1}, api.Detail{Word: "n1", More: "and 1 more pod", MorePods: 1}},
		{job.Running, "", jobview.Extra{Node: "n1", MorePods: 31}, api.Detail{Word: "n1", More: "and 31 more pods", MorePods: 31}},
		{job.Running, "", jobview.Extra{}, api.Detail{}},
		{job.Failed, "BackoffLimitExceeded", jobview.Extra{Cause: "OOMKilled", ExitCode: &exit, Message: "limit"}, api.Detail{Word: "OOMKilled", More: "exit code 137", Strong: true, ExitCode: 137}},
		{job.Failed, "DeadlineExceeded", jobview.Extra{Message: "Job was active longer than its deadline"}, api.Detail{Word: "DeadlineExceeded", More: "Job was active longer than its deadline", Strong: true}},
		{job.Restarting, "PodFailed", jobview.Extra{ExitCode: &exit}, api.Detail{Word: "PodFailed", More: "exit code 137", ExitCode: 137}},
		{job.Aborted, "Cancelled", jobview.Extra{Message: "by ana"}, api.Detail{Word: "Cancelled", More: "by ana"}},
		{job.Failed, "", jobview.Extra{}, api.Detail{Strong: true}},
	} {
		if got := jobview.Job(&jobindex.Row{State: c.of, Reason: c.reason}, c.extra).Detail; got != c.want {
			t.Errorf("%s %s %+v: %+v, want %+v", c.of, c.reason, c.extra, got, c.want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 111: "111th", 1002: "1002nd"} {
		if got := jobview.Job(&jobindex.Row{State: job.Queued}, jobview.Extra{Place: n}).Detail.More; got != want+" in line" {
			t.Errorf("place %d: got %s, want %s in line", n, got, want)
		}
	}
}

// TestRow: times are in UTC and milliseconds, and long hostile messages are truncated at a
// character.
func TestRow(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 123456789, time.FixedZone("x", 3600))
	r := &jobindex.Row{
		State: job.Running, Since: at, Submitted: at, Presence: history.Unselected, Waited: 90 * time.Second, GPUs: -1, Pods: 2, Version: 7,
		Life: []job.Span{{State: job.Queued, From: at, To: at.Add(time.Second)}, {State: job.Running, From: at, Gap: true, Inferred: true, Attempt: 2}},
	}
	got := jobview.Job(r, jobview.Extra{Message: strings.Repeat("日", 200) + "\x1b[31m", Raw: "Raw"})
	utc := at.UTC().Truncate(time.Millisecond)
	if !got.Since.Equal(utc) || got.Since.Location() != time.UTC || got.Since.Nanosecond()%1_000_000 != 0 || !got.Ended.IsZero() {
		t.Errorf("got since %v, want %v", got.Since, utc)
	}
	if len(got.Message) > 300 || !utf8.ValidString(got.Message) || !strings.HasSuffix(got.Message, "…") {
		t.Errorf("got message %q, want at most 300 valid bytes that end with an ellipsis", got.Message)
	}
	if got.Presence != "Unselected" || got.Waited != 90 || got.GPUs != -1 || got.Version != "7" || got.Raw != "Raw" {
		t.Errorf("got %+v, want Unselected, 90 s waited, unknown GPUs, version 7 and Raw", got)
	}
	if s := got.Life[1]; !s.Gap || !s.Inferred || s.Attempt != 2 || !s.To.IsZero() || len(got.Life) != 2 {
		t.Errorf("got life %+v, want two spans, the second an inferred gap of attempt 2, still open", got.Life)
	}
}
