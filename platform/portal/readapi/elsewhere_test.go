package readapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// TestOwnersElsewhere: objects of another namespace that name a job as their owner, or as the
// job that they repeat, are on none of its pages. An operator sees that: others see no object
// of that namespace.
func TestOwnersElsewhere(t *testing.T) {
	w := newWorld(t, "events")
	a := w.create(newJob("team-a", "alpha")).(*batchv1.Job)
	w.create(newPod(a, "alpha-abcde", "node-of-a", 1))
	claim := a.DeepCopy()
	claim.Namespace = "team-b"
	pod := newPod(claim, "intruder-abcde", "node-of-intruder", 137)
	w.create(pod)
	again := newJob("team-b", "intruder")
	again.Labels[job.RetryRootLabel] = string(a.UID)
	again.Annotations[job.RetryOfAnnotation], again.Annotations[job.AttemptAnnotation] = string(a.UID), "9223372036854775807"
	w.create(again)
	mine := newJob("team-a", "alpha-again")
	mine.Labels[job.RetryRootLabel] = string(a.UID)
	mine.Annotations[job.RetryOfAnnotation], mine.Annotations[job.AttemptAnnotation] = string(a.UID), "9223372036854775807"
	w.create(mine)
	w.settle()
	for _, p := range []*corev1.Pod{pod, newPod(a, "alpha-abcde", "node-of-a", 1)} {
		if _, err := apitest.Modify(w.srv, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name}}, func(p *corev1.Pod) { p.Status.Message = "seen" }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := apitest.Modify(w.srv, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "alpha"}}, func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: "Failed", Status: corev1.ConditionTrue, Reason: "Failed"}}
	}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	log := joblog.Log{
		ClusterUID: w.clusterUID(), PodUID: "uid-of-intruder", Namespace: "team-b", Pod: "intruder-abcde", Container: "main", JobUID: string(a.UID), JobKind: "Job", JobName: "alpha",
		OwnerUID: string(a.UID), OwnerKind: "Job", OwnerName: "alpha", ExitCode: 1, Ended: time.Now(), Complete: true,
	}
	if err := joblog.New(w.db, joblog.Limits{}, nil).Put(t.Context(), log, []joblog.Line{{Time: time.Now(), Text: "log of the intruder"}}); err != nil {
		t.Fatal(err)
	}
	w.serve(nil)
	answered := 0
	for _, path := range w.requests([]string{string(a.UID)}, nil) {
		if !strings.HasPrefix(path, "/jobs/"+clusterName+"/"+string(a.UID)) {
			continue
		}
		status, text := w.get("*", path)
		if status == http.StatusOK {
			answered++
		}
		if strings.Contains(text, "intruder") || strings.Contains(text, "team-b") {
			t.Errorf("%s shows an object of another namespace: %s", path, text)
		}
	}
	if answered < 10 {
		t.Errorf("only %d requests were answered", answered)
	}
	chain, err := w.h.Chain(t.Context(), w.clusterUID(), history.Type{Group: "batch", Resource: "jobs", Kind: "Job"}, string(a.UID))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chain {
		if c.Number != 1 {
			t.Errorf("the chain has a job with the number %d, which its annotation forges", c.Number)
		}
	}
	if len(chain) != 2 {
		t.Errorf("the chain has %d jobs, want 2", len(chain))
	}
}
