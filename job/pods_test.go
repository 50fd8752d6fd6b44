package job_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/job"
)

// podRow is a row of testdata/pods.yaml.
type podRow struct {
	Name, Source, Differs string
	Annotations           map[string]any
	Deleted               bool
	Unbound               int
	Spec                  map[string]any
	Roles                 map[string]string
	Job                   string
	Writes                []struct {
		Kubectl, State string
		Status         map[string]any
	}
	Want struct {
		Cause     job.Cause
		Container string
		Exit      *int
		Restart   int
		Limit     string
	}
}

// moment matches the times in the table.
var moment = regexp.MustCompile(`\bT([+-]\d+)\b`)

func readPodRows(t *testing.T) (rows []podRow) {
	t.Helper()
	text, err := os.ReadFile("testdata/pods.yaml")
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	text = moment.ReplaceAllFunc(text, func(at []byte) []byte {
		seconds, err := strconv.Atoi(string(at[1:]))
		if err != nil {
			t.Fatal(err)
		}
		return []byte(end.Add(time.Duration(seconds) * time.Second).Format(`"` + time.RFC3339 + `"`))
	})
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// pod returns the pod after one of its writes.
func (r *podRow) pod(write int) job.Object {
	spec := maps.Clone(r.Spec)
	if write >= r.Unbound {
		spec["nodeName"] = "n1"
	}
	meta := map[string]any{"name": "p", "annotations": r.Annotations}
	if r.Deleted {
		meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = "2026-11-22T08:00:30Z", float64(30)
	}
	return job.Object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": r.Writes[write].Status}
}

// TestPods: each pod of the table has its state and its reason after each write, and then its
// cause. A reason that kubectl shows for a problem is the same here.
func TestPods(t *testing.T) {
	for _, r := range readPodRows(t) {
		t.Run(r.Name, func(t *testing.T) {
			if r.Source == "" {
				t.Error("the row has no source")
			}
			for i := range r.Writes {
				r.checkState(t, i)
			}
			pod := r.pod(len(r.Writes) - 1)
			r.checkRoles(t, pod)
			r.checkCause(t, pod)
			r.checkJob(t, pod)
		})
	}
}

// checkState compares the state after a write.
func (r *podRow) checkState(t *testing.T, write int) {
	t.Helper()
	w := r.Writes[write]
	s := job.ReadStatus(lighten(r.pod(write)))
	got := s.String()
	if s.Reason != "" {
		got += ": " + s.Reason
	}
	if got != w.State {
		t.Errorf("write %d: got %q, want %q", write+1, got, w.State)
	}
	if problem := !slices.Contains(noProblem, w.Kubectl) && !waitsInit.MatchString(w.Kubectl); problem && s.Reason != w.Kubectl && r.Differs == "" {
		t.Errorf("write %d: the reason is %q, and kubectl shows %q", write+1, s.Reason, w.Kubectl)
	}
}

// noProblem are the words of kubectl that say only how far a pod is.
var noProblem = []string{"Pending", "ContainerCreating", "PodInitializing", "Running", "NotReady", "Completed", "Succeeded", "Failed", "Terminating"}

// waitsInit matches the word of kubectl for a pod whose init containers run.
var waitsInit = regexp.MustCompile(`^Init:\d+/\d+$`)

// roleWords are the words of the table for roles.
var roleWords = map[job.Role]string{job.MainContainer: "main", job.SidecarContainer: "sidecar", job.InitContainer: "init", job.NativeSidecar: "native sidecar"}

func (r *podRow) checkRoles(t *testing.T, pod job.Object) {
	t.Helper()
	for _, run := range job.Runs(pod) {
		if got := roleWords[run.Role]; got != r.Roles[run.Container] {
			t.Errorf("the role of %s: got %q, want %q", run.Container, got, r.Roles[run.Container])
		}
	}
}

func (r *podRow) checkCause(t *testing.T, pod job.Object) {
	t.Helper()
	e := job.FirstEnding(pod)
	if e == nil {
		e = &job.Ending{}
	}
	w := &r.Want
	limit := ""
	switch {
	case e.Memory != nil:
		limit = fmt.Sprint(e.Memory)
	case e.Deadline > 0:
		limit = e.Deadline.String()
	}
	if e.Cause != w.Cause || e.Container != w.Container || text(e.Exit) != text(w.Exit) || e.Restart != w.Restart || limit != w.Limit {
		t.Errorf("got cause %q of container %q, exit code %s, restart %d, limit %q; want %q of %q, %s, %d, %q",
			e.Cause, e.Container, text(e.Exit), e.Restart, limit, w.Cause, w.Container, text(w.Exit), w.Restart, w.Limit)
	}
	if e.Container != "" && roleWords[e.Role] != r.Roles[e.Container] {
		t.Errorf("the role of the cause: got %q, want %q", roleWords[e.Role], r.Roles[e.Container])
	}
}

// checkJob compares the state of a Job with this pod.
func (r *podRow) checkJob(t *testing.T, pod job.Object) {
	t.Helper()
	status := map[string]any{"startTime": "2026-11-22T08:00:00Z", "active": float64(1), "ready": float64(0)}
	switch p := job.ReadStatus(pod); p.State {
	case job.Failed:
		status = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}}}
	case job.Succeeded:
		status = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
	case job.Running:
		status["ready"] = float64(1)
	}
	s := job.ReadStatus(map[string]any{"apiVersion": "batch/v1", "kind": "Job", "status": status}).WithPods([]job.Status{job.ReadStatus(pod)})
	got := s.String()
	if s.Reason != "" {
		got += ": " + s.Reason
	}
	if got != r.Job {
		t.Errorf("its Job: got %q, want %q", got, r.Job)
	}
}

// text returns an exit code as text.
func text(code *int) string {
	if code == nil {
		return "none"
	}
	return strconv.Itoa(*code)
}

// TestPodNames: the table keeps its rows.
func TestPodNames(t *testing.T) {
	var names strings.Builder
	for _, r := range readPodRows(t) {
		names.WriteString(r.Name + "\n")
	}
	const golden = "testdata/pods.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(names.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if names.String() != string(want) {
		t.Errorf("the rows are not those of %s; add rows with -update, and remove none:\n%s", golden, names.String())
	}
}
