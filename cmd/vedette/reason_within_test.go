package main

import (
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
)

// TestReasonsWithinAState checks that the history of an object has the reasons that changed while
// its state did not.
func TestReasonsWithinAState(t *testing.T) {
	t.Parallel()
	r := &archive{t: t, srv: serve(t, apitest.Config{}), db: "sqlite:" + filepath.Join(t.TempDir(), "history.db")}
	r.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	p := newPod("ml", "train")
	p.Spec.NodeName = "n1"
	r.srv.create(p)
	stop := r.start()
	r.until("train", 1)
	for i, reason := range []string{"ErrImagePull", "ImagePullBackOff", "ImagePullBackOff", "ErrImagePull"} {
		if _, err := apitest.Modify(r.srv.Server, p, func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodPending
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", RestartCount: int32(i), State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
		}); err != nil {
			t.Fatal(err)
		}
	}
	patience.Until(t, "the last reason is recorded", func() string {
		out, errs, _ := r.run("history", "pod/train", "-n", "ml", "-o", "ndjson")
		if strings.Count(out, `"kind":"reason"`) == 3 {
			return ""
		}
		return out + "\n" + errs
	})
	stop()
	matches(t, r.says("history", "pod/train", "-n", "ml", "--no-headers"),
		`(?s)^[^\n]+ Starting [^\n]+\n[^\n]+ \(reason\) +ErrImagePull\n[^\n]+ \(reason\) +ImagePullBackOff\n[^\n]+ \(reason\) +ErrImagePull\n$`)
}

// TestReasonOfTransition checks that a reason comes once if the type's own word for the state changed
// with it: the history then has a transition.
func TestReasonOfTransition(t *testing.T) {
	t.Parallel()
	r := &archive{t: t, srv: serve(t, apitest.Config{}), db: "sqlite:" + filepath.Join(t.TempDir(), "history.db")}
	r.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	j := &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", Labels: map[string]string{job.KueueQueueLabel: "gpu"}},
		Spec:       batchv1.JobSpec{Suspend: new(true)},
	}
	r.srv.create(j)
	p := start(t, "record", "jobs,namespaces", "-A", "--kubeconfig", r.srv.kubeconfig, "--db", r.db)
	p.err.holds(t, "recording")
	r.until("train", 1)
	if _, err := apitest.Modify(r.srv.Server, j, func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue, Reason: "JobSuspended"}}
	}); err != nil {
		t.Fatal(err)
	}
	r.until("train", 2)
	p.interrupt()
	if out := r.says("history", "job/train", "-n", "ml", "--no-headers"); strings.Count(out, "JobSuspended") != 1 || strings.Contains(out, "(reason)") {
		t.Errorf("got %s, want the reason once, with its transition", out)
	}
}
