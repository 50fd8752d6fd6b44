package job_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/job"
)

// row is a row of testdata/pods.yaml.
type row struct {
	Name, Source string
	Annotations  map[string]any
	Spec, Status map[string]any
	Want         struct {
		Cause     job.Cause
		Container string
		Exit      *int
		Restart   int
		Memory    string
	}
}

func readRows(t *testing.T) (rows []row) {
	t.Helper()
	text, err := os.ReadFile("testdata/pods.yaml")
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	for _, seconds := range []int{-30, -10, 0, 30} {
		sign := "-"
		if seconds > 0 {
			sign = "+"
		}
		at := end.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
		text = []byte(strings.ReplaceAll(string(text), fmt.Sprintf(" T%s%d}", sign, max(seconds, -seconds)), ` "`+at+`"}`))
	}
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestFirst: each pod of the table has its cause.
func TestFirst(t *testing.T) {
	for _, r := range readRows(t) {
		if r.Source == "" {
			t.Errorf("%s: the row has no source", r.Name)
		}
		pod := job.Object{"metadata": map[string]any{"name": "p", "annotations": r.Annotations}, "spec": r.Spec, "status": r.Status}
		e := job.FirstEnding(pod)
		if e == nil {
			e = &job.Ending{}
		}
		w := &r.Want
		memory := ""
		if e.Memory != nil {
			memory = fmt.Sprint(e.Memory)
		}
		if e.Cause != w.Cause || e.Container != w.Container || text(e.Exit) != text(w.Exit) || e.Restart != w.Restart || memory != w.Memory {
			t.Errorf("%s: got cause %q of container %q, exit code %s, restart %d, memory %q; want %q of %q, %s, %d, %q",
				r.Name, e.Cause, e.Container, text(e.Exit), e.Restart, memory, w.Cause, w.Container, text(w.Exit), w.Restart, w.Memory)
		}
	}
}

func text(code *int) string {
	if code == nil {
		return "none"
	}
	return fmt.Sprint(*code)
}

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
