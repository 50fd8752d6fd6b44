package readapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestHostileTexts: texts of users are returned unchanged, and never as markup or as a
// control character of a terminal.
func TestHostileTexts(t *testing.T) {
	const evil = "</script><img src=x onerror=alert(1)>\x1b[2J\u202e\u2028'\"`${x}{{x}}\x7f\u0085"
	w := newWorld(t)
	j := newJob("team-a", "evil")
	j.Annotations["evil"] = evil
	j.Spec.Template.Spec.Containers[0].Image = evil
	j.Spec.Template.Spec.Containers[0].Args = []string{evil, "a: |\n  b\n- c"}
	job := w.create(j).(*batchv1.Job)
	if _, err := apitest.Modify(w.srv, newJob("team-a", "evil"), func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: "Failed", Status: corev1.ConditionTrue, Reason: evil, Message: evil}}
	}); err != nil {
		t.Fatal(err)
	}
	p := newPod(job, "evil-abcde", "node-1", 1)
	p.Status.Reason, p.Status.Message = evil, evil
	w.create(p)
	w.settle()
	w.serve(nil)
	uid := string(job.UID)
	for _, path := range []string{
		api.PathJobs, api.PathTimeline, api.PathStats, api.PathSuggest + "?key=reason", api.PathJob, api.PathFailure, api.PathTransitions, api.PathAttempts, api.PathPods,
		"/jobs/{cluster}/{uid}/revisions/last", api.PathDiff + "?context=1000", api.PathJobs + "?reason=" + strings.Repeat("%3C", 100),
	} {
		status, text := w.get("*", jobPath(path, uid))
		if status != http.StatusOK || !json.Valid([]byte(text)) {
			t.Errorf("%s: got status %d and %s, want 200 and valid JSON", path, status, text)
		}
		if strings.ContainsAny(text, "<>\x1b\u2028\x00") {
			t.Errorf("%s has markup or control characters: %q", path, text)
		}
	}
	list := read[api.JobList](w, api.PathJobs)
	if got := list.Jobs[0]; got.Reason != evil || got.Message != evil {
		t.Errorf("got reason %q and message %q, want %q", got.Reason, got.Message, evil)
	}
	body := read[api.Body](w, jobPath("/jobs/{cluster}/{uid}/revisions/last", uid))
	if strings.ContainsFunc(body.YAML, func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 }) {
		t.Errorf("YAML with control characters: %q", body.YAML)
	}
}

// TestBadRequests: mistakes are reported with their parameters, and none is a fault of the portal.
func TestBadRequests(t *testing.T) {
	w := newWorld(t)
	job := w.create(newJob("team-a", "one")).(*batchv1.Job)
	w.settle()
	w.serve(nil)
	uid := string(job.UID)
	for path, want := range map[string]string{
		api.PathJobs + "?gpus=many": "gpus", api.PathJobs + "?sort=beauty": "sort", api.PathJobs + "?after=x": "after", api.PathJobs + "?limit=9999": "limit",
		api.PathJobs + "?after=a&before=b": "before", api.PathTimeline + "?from=1h&to=2h": "to", api.PathStats + "?vs=never": "vs", api.PathTimeline + "?group=beauty": "group",
		jobPath(api.PathDiff, uid) + "?from=x": "from", jobPath(api.PathPods, uid) + "?after=x": "after", jobPath(api.PathTransitions, uid) + "?after=x": "after",
		jobPath("/jobs/{cluster}/{uid}/revisions/0", uid): "version", jobPath(api.PathLogs, uid) + "?since=x": "since", api.PathDeadLetters + "?after=!": "after",
	} {
		status, text := w.get("*", path)
		var p api.Problem
		if err := json.Unmarshal([]byte(text), &p); err != nil || status/100 != 4 || p.Type != api.ProblemInvalid || len(p.Fields) == 0 || p.Fields[0].Field != want || p.Fields[0].Message == "" {
			t.Errorf("%s: got status %d and %s, want an invalid request with field %s", path, status, text, want)
		}
	}
	if status, text := w.get("*", jobPath("/jobs/{cluster}/{uid}/revisions/12345", uid)); status != 404 {
		t.Errorf("unknown revision: got status %d and %s, want 404", status, text)
	}
}
