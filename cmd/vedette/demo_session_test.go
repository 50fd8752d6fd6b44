package main

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/cmd/vedette/internal/demo"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// kept waits until the log of a job is in the database.
func (o *outside) kept(name string) {
	o.t.Helper()
	job, err := o.client.BatchV1().Jobs(demo.Team).Get(o.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		o.t.Fatal(err)
	}
	d, err := settings.OpenDatabase(o.t.Context(), o.db)
	if err != nil {
		o.t.Fatal(err)
	}
	defer d.Close()
	patience.Until(o.t, "the log of "+name+" is kept", func() string {
		log, _, found, err := joblog.New(d, joblog.Limits{}, nil).Tail(o.t.Context(), joblog.Selection{UIDs: []string{string(job.UID)}}, 1)
		if err == nil && found && log.Complete {
			return ""
		}
		return fmt.Sprintf("found %v, %+v, %v", found, log, err)
	})
}

// TestDemoSession submits a job once from another terminal, follows its log, cancels and retries a
// job, and reads the log of a job without pods, even after the demo has ended.
func TestDemoSession(t *testing.T) {
	o := startDemo(t, "--jobs", "0", "--speed", "20", "--no-messages")
	t.Setenv("KUBECONFIG", o.kubeconfig)
	t.Setenv("VEDETTE_DB", o.db)
	says := func(code int, wants []string, args ...string) {
		t.Helper()
		out, errs := ended(t, code, args...)
		for _, want := range wants {
			if !strings.Contains(out+errs, want) {
				t.Errorf("vedette %v does not say %q:\n%s%s", args, want, out, errs)
			}
		}
	}
	submit := func(more ...string) []string {
		return append([]string{"submit", "--image", "pytorch/pytorch", "--gpus", "2", "--queue", "gpu"}, more...)
	}

	train := submit("--name", "train-7", "--key", "k", "--", "python", "train.py")
	says(0, []string{"job/train-7 submitted to namespace " + demo.Team}, train...)
	says(0, []string{"job/train-7 was submitted to namespace " + demo.Team + " already, with this key"}, train...)
	says(0, []string{"INFO  rank 0 of 1", "loss ", "INFO  done in "}, "logs", "job/train-7", "-f")
	o.until("train-7", "complete", func(job *batchv1.Job, _ []corev1.Pod) bool { return has(job, batchv1.JobComplete) })

	says(0, []string{"job/train-8 submitted"}, submit("--name", "train-8", "--", "sleep", "1h")...)
	says(0, []string{"train-8 ", " fay "}, "jobs", "--live")
	says(0, []string{"job/train-8 cancelled"}, "cancel", "job/train-8", "--reason", "wrong data")
	o.until("train-8", "gone", func(job *batchv1.Job, _ []corev1.Pod) bool { return job == nil })
	says(0, nil, "wait", "job/train-8", "-n", demo.Team, "--for", "state=Aborted", "--timeout", "2m", "--any")
	says(0, []string{"job/train-8-r2 submitted"}, "retry", "job/train-8", "--set", "image=pytorch/pytorch:2")
	o.until("train-8-r2", "running", running)
	says(0, nil, "wait", "job/train-8-r2", "-n", demo.Team, "--for", "state=Running", "--timeout", "2m")
	says(0, []string{"Aborted", "fay: wrong data", "train-8-r2"}, "history", "job/train-8", "-n", demo.Team)
	says(0, []string{"train-8-r2", "Aborted", "fay: wrong data"}, "jobs", "--mine")

	says(2, []string{"Traceback"}, submit("--name", "train-9", "--follow", "--", "python", "train.py", "--fail")...)
	says(1, []string{"the user fay may not create jobs.batch in the namespace team-vision", "kind: Role"}, submit("-n", "team-vision", "--", "x")...)
	o.kept("train-9")
	if err := o.client.BatchV1().Jobs(demo.Team).Delete(t.Context(), "train-9", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	o.until("train-9", "gone", func(job *batchv1.Job, pods []corev1.Pod) bool { return job == nil && len(pods) == 0 })
	says(0, []string{"Traceback", "RuntimeError: the loss is not finite"}, "logs", "job/train-9")
	o.interrupt()
	t.Setenv("KUBECONFIG", "/nonexistent")
	says(0, []string{"Traceback", "RuntimeError: the loss is not finite"}, "logs", "job/train-9", "-n", demo.Team)
}
