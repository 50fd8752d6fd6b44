package job_test

import (
	"encoding/json"
	"testing"

	"github.com/vedette-io/vedette/job"
)

// TestPrevious: a restart count names the run that waits, and the run before it otherwise.
func TestPrevious(t *testing.T) {
	for _, c := range []struct {
		count   int
		waits   bool
		reason  string
		restart int
		exists  bool
	}{
		{0, true, "Error", 0, true},
		{2, true, "Error", 2, true},
		{2, false, "Error", 1, true},
		{1, true, "ContainerStatusUnknown", 0, true},
		{0, false, "Error", -1, false},
	} {
		if restart, exists := job.PreviousRun(c.count, c.waits, c.reason); restart != c.restart || exists != c.exists {
			t.Errorf("%+v: got %d, %v", c, restart, exists)
		}
	}
}

// TestOfJob: a deadline or a quota of the job has ended its pods. A pod explains all other
// failures.
func TestOfJob(t *testing.T) {
	pod := &job.Ending{Cause: job.CauseOOMKilled, Pod: "p"}
	for _, c := range []struct {
		reason, message string
		pod             *job.Ending
		want            job.Cause
	}{
		{"BackoffLimitExceeded", "", pod, job.CauseOOMKilled},
		{"BackoffLimitExceeded", "", nil, ""},
		{"DeadlineExceeded", "", pod, job.CauseDeadlineExceeded},
		{"FailedCreate", "pods is forbidden: exceeded quota: team, requested: x", pod, job.CauseQuotaExceeded},
		{"Evicted", "", pod, job.CauseOOMKilled},
		{"Evicted", "", nil, job.CauseEvicted},
		{"Error", "", nil, ""},
	} {
		got := job.Cause("")
		if e := job.EndingOfJob(c.reason, c.message, c.pod); e != nil {
			got = e.Cause
		}
		if got != c.want {
			t.Errorf("reason %q, message %q, pod %v: got %q, want %q", c.reason, c.message, c.pod != nil, got, c.want)
		}
	}
}

// FuzzFirst: no body causes a panic, and the order of endings is total.
func FuzzFirst(f *testing.F) {
	f.Add([]byte(`{"status":{"containerStatuses":[{"name":"a","restartCount":-1,"state":{"waiting":{}},"lastState":{"terminated":{"exitCode":1}}}]}}`))
	f.Add([]byte(`{"spec":[],"status":{"conditions":7,"containerStatuses":[{"state":[]}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		pod := job.ParseObject(body)
		all := job.Endings(pod)
		for i := range all {
			for j := range all {
				if all[i].Compare(&all[j]) != -all[j].Compare(&all[i]) {
					text, _ := json.Marshal(pod)
					t.Errorf("endings %d and %d have no order: %s", i, j, text)
				}
			}
		}
		job.FirstEnding(pod)
	})
}
