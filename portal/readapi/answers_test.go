package readapi_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/portal/api"
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
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}
