package record_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// attempt creates a job, and returns it as the server stored it. of is the job that it
// repeats.
func (w *world) attempt(name, image string, number int, of *batchv1.Job) *batchv1.Job {
	w.t.Helper()
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, Annotations: map[string]string{}, Labels: map[string]string{}}}
	j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: image}}
	j.Spec.Template.Labels = map[string]string{"batch.kubernetes.io/controller-uid": name}
	if of != nil {
		j.Annotations[job.RetryOfAnnotation], j.Annotations[job.AttemptAnnotation] = string(of.UID), fmt.Sprint(number)
		if j.Labels[job.RetryRootLabel] = of.Labels[job.RetryRootLabel]; of.Labels[job.RetryRootLabel] == "" {
			j.Labels[job.RetryRootLabel] = string(of.UID)
		}
	}
	made, err := w.srv.Create(j)
	if err != nil {
		w.t.Fatal(err)
	}
	return made.(*batchv1.Job)
}

// TestAttempts checks that the history shows the attempts of a job, the changes from one
// attempt to the next, and the outcome of each, even after the objects are deleted.
func TestAttempts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		stop := w.record("one", record.Target{Type: "jobs.batch"})
		defer stop()
		modify := func(job *batchv1.Job, change func(*batchv1.Job)) {
			t.Helper()
			if _, err := apitest.Modify(w.srv, job, change); err != nil {
				t.Fatal(err)
			}
		}
		first := w.attempt("train-7", "train:1", 1, nil)
		w.attempt("other", "train:1", 1, nil)
		modify(first, func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Reason: "BackoffLimitExceeded"}}
		})
		second := w.attempt("train-7-r2", "train:2", 2, first)
		modify(second, func(j *batchv1.Job) { j.Status.Active, j.Status.Ready = 1, new(int32(1)) })
		w.until("SELECT state FROM objects WHERE name = 'train-7-r2'", "Running")
		modify(second, func(j *batchv1.Job) {
			maps.Copy(j.Annotations, map[string]string{job.CancelledByAnnotation: "ann", job.CancelReasonAnnotation: "wrong data", job.CancelAnnotation: job.CancelDelete, job.CancelledAtAnnotation: time.Now().UTC().Format(time.RFC3339)})
		})
		w.until("SELECT state FROM objects WHERE name IN ('train-7', 'train-7-r2') ORDER BY name", "Failed", "Aborted")
		for _, job := range []*batchv1.Job{first, second} {
			if err := w.srv.Delete(job); err != nil {
				t.Fatal(err)
			}
		}
		third := w.attempt("train-7-r3", "train:2", 3, second)

		h, of := history.New(w.d), history.Type{Group: "batch", Resource: "jobs"}
		var chain []history.Attempt
		patience.Until(t, "the chain is complete", func() string {
			var err error
			if chain, err = h.Chain(t.Context(), "", of, string(first.UID)); err != nil && !errors.Is(err, history.ErrUnknown) {
				t.Fatal(err)
			}
			if len(chain) == 3 && chain[0].Object.State == string(job.Deleted) && chain[1].Object.State == string(job.Deleted) {
				return ""
			}
			return fmt.Sprintf("%+v", chain)
		})
		type row struct {
			number             int
			name               string
			state              job.State
			reason, message    string
			retryOf, by, why   string
			changes            []history.FieldChange
			compared, has, ran bool
		}
		var got []row
		for _, a := range chain {
			got = append(got, row{a.Number, a.Object.Name, a.State, a.Reason, a.Message, a.RetryOf, a.CancelledBy, a.CancelReason, a.Changes, a.Compared, a.Object.Presence == history.Present, a.Ran > 0})
		}
		want := []row{
			{1, "train-7", job.Failed, "BackoffLimitExceeded", "", "", "", "", nil, false, false, false},
			{2, "train-7-r2", job.Aborted, "Cancelled", "ann: wrong data", string(first.UID), "ann", "wrong data", []history.FieldChange{{Path: "spec.template.spec.containers[0].image", Old: "train:1", New: "train:2"}}, true, false, true},
			{3, "train-7-r3", job.Submitted, "", "", string(second.UID), "", "", nil, true, true, false},
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		for _, uid := range []string{string(second.UID), string(third.UID)} {
			if again, err := h.Chain(t.Context(), chain[0].Object.ClusterUID, of, uid); err != nil || len(again) != 3 {
				t.Errorf("chain from %s: got %d attempts and error %v, want 3", uid, len(again), err)
			}
		}
		if _, err := h.Chain(t.Context(), "another", of, string(first.UID)); !errors.Is(err, history.ErrUnknown) {
			t.Errorf("attempts from a different cluster: %v", err)
		}
	})
}
