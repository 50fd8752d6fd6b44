package readapi_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/readapi"
)

// TestAnswers: each operation answers about a job.
func TestAnswers(t *testing.T) {
	w := newWorld(t)
	job := w.create(newJob("team-a", "train-7")).(*batchv1.Job)
	w.create(newPod(job, "train-7-abcde", "node-1", 137))
	if _, err := apitest.Modify(w.srv, newJob("team-a", "train-7"), func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: "Failed", Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: "Job has reached the specified backoff limit"}}
	}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.serve(nil)
	uid := string(job.UID)
	for _, path := range []string{
		api.PathSession, api.PathJobs, api.PathCounts, api.PathSuggest + "?key=namespace", "/find/west/jobs.batch/team-a/train-7", api.PathTimeline, api.PathOverview + "?bars=3", api.PathStats, api.PathStatsWaiting, api.PathOperations, api.PathDeadLetters,
		api.PathJob, api.PathWaiting, api.PathFailure, api.PathTransitions, api.PathAttempts, api.PathPods, api.PathEvents, api.PathRevisions,
		"/jobs/{cluster}/{uid}/revisions/last", api.PathDiff, api.PathLogs, api.PathNotifications,
	} {
		status, text := w.get("*", jobPath(path, uid))
		if status != 200 {
			t.Errorf("%s: got status %d and %s, want 200", path, status, text)
		}
	}
}

// TestTraceURL: a job that has ended has the address of its trace, and an open one has none.
func TestTraceURL(t *testing.T) {
	w := newWorld(t)
	open := w.create(newJob("team-a", "open")).(*batchv1.Job)
	ended := newJob("team-a", "ended")
	ended.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	ended = w.create(ended).(*batchv1.Job)
	w.settle()
	w.serve(func(c *readapi.Config) {
		c.TraceURL = func(cluster, job string) string { return "https://traces/" + cluster + "/" + job }
	})
	if got := read[api.JobDetail](w, jobPath(api.PathJob, string(open.UID))).TraceURL; got != "" {
		t.Errorf("the open job has %s", got)
	}
	want := "https://traces/" + w.clusterUID() + "/" + string(ended.UID)
	if got := read[api.JobDetail](w, jobPath(api.PathJob, string(ended.UID))).TraceURL; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
