package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vedette-io/vedette/cmd/vedette/internal/demo"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/world/simulation"
)

// outside is another terminal beside a demo.
type outside struct {
	*program
	t          *testing.T
	kubeconfig string
	db         string
	client     *kubernetes.Clientset
}

// startDemo starts a demo, and reads its addresses.
func startDemo(t *testing.T, args ...string) *outside {
	t.Helper()
	o := &outside{t: t, db: "sqlite:" + filepath.Join(t.TempDir(), "h.db")}
	o.program = start(t, append([]string{"demo", "--db", o.db}, args...)...)
	o.err.holds(t, "\n\n")
	export := regexp.MustCompile(`export KUBECONFIG=(\S+) VEDETTE_DB=(\S+)`).FindStringSubmatch(o.err.String())
	if export == nil || export[2] != o.db {
		t.Fatalf("no commands for another terminal in %v", o.err)
	}
	o.kubeconfig = export[1]
	rc, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	rc.QPS = -1
	if o.client, err = kubernetes.NewForConfig(rc); err != nil {
		t.Fatal(err)
	}
	return o
}

// submit creates a job that runs a command in the queue.
func (o *outside) submit(name string, command ...string) {
	o.t.Helper()
	j := newJob(demo.Team, name)
	retries := int32(0)
	j.Labels, j.Spec.BackoffLimit = map[string]string{job.KueueQueueLabel: "gpu"}, &retries
	j.Spec.Template.Spec = corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "pytorch/pytorch", Command: command}},
	}
	created, err := o.client.BatchV1().Jobs(demo.Team).Create(o.t.Context(), j, metav1.CreateOptions{})
	if err != nil || !simulation.Suspended(created) {
		o.t.Fatalf("create %s: got %v and error %v, want a suspended job", name, created, err)
	}
}

// until waits until a job satisfies ok.
func (o *outside) until(name, what string, ok func(*batchv1.Job, []corev1.Pod) bool) {
	o.t.Helper()
	ctx := patience.Context(o.t, name+" is "+what)
	patience.Until(o.t, name+" is "+what, func() string {
		job, err := o.client.BatchV1().Jobs(demo.Team).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			job, err = nil, nil
		}
		if err != nil {
			o.t.Fatalf("%s is not %s: %v", name, what, err)
		}
		pods, err := o.client.CoreV1().Pods(demo.Team).List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + name})
		if err != nil {
			o.t.Fatalf("%s is not %s: %v", name, what, err)
		}
		if ok(job, pods.Items) {
			return ""
		}
		return fmt.Sprintf("the job is %+v, and has the pods %+v", job, pods.Items)
	})
}

func has(job *batchv1.Job, kind batchv1.JobConditionType) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == kind && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

func running(_ *batchv1.Job, pods []corev1.Pod) bool {
	return len(pods) == 1 && pods[0].Status.Phase == corev1.PodRunning
}

// TestDemoRunsJobsOfOthers checks that jobs from other terminals end as their command requests,
// stop at a suspension or deletion, and keep the demo running.
func TestDemoRunsJobsOfOthers(t *testing.T) {
	t.Parallel()
	o := startDemo(t, "--jobs", "1", "--speed", "50")
	jobs := o.client.BatchV1().Jobs(demo.Team)
	o.submit("long", "sleep", "1h")
	o.submit("other", "sleep", "1h") // keeps the demo alive
	o.until("long", "running", running)
	o.submit("good", "python", "train.py")
	o.submit("bad", "python", "train.py", "--fail")
	o.until("good", "complete", func(job *batchv1.Job, pods []corev1.Pod) bool { return has(job, batchv1.JobComplete) && len(pods) == 1 })
	o.until("bad", "failed", func(job *batchv1.Job, pods []corev1.Pod) bool { return has(job, batchv1.JobFailed) && len(pods) == 1 })

	// A running job stops when it is suspended, and starts again when it is resumed.
	for _, suspend := range []string{"true", "false"} {
		if _, err := jobs.Patch(t.Context(), "long", types.MergePatchType, []byte(`{"spec":{"suspend":`+suspend+`}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if suspend == "true" {
			o.until("long", "suspended", func(job *batchv1.Job, pods []corev1.Pod) bool {
				return has(job, batchv1.JobSuspended) && job.Status.Active == 0 && len(pods) == 0
			})
		}
	}
	o.until("long", "running again", running)
	cancel := []byte(`{"metadata":{"annotations":{"` + job.CancelledByAnnotation + `":"fay"}},"spec":{"suspend":true}}`)
	for _, name := range []string{"first", "second", "third", "fourth"} { // some of them wait for a node
		o.submit(name, "sleep", "1h")
		if _, err := jobs.Patch(t.Context(), name, types.MergePatchType, cancel, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := jobs.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := jobs.Patch(t.Context(), "long", types.MergePatchType, cancel, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	o.until("long", "cancelled", func(job *batchv1.Job, pods []corev1.Pod) bool {
		return has(job, batchv1.JobSuspended) && len(pods) == 0
	})
	if err := jobs.Delete(t.Context(), "other", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if code := o.end(); code != 0 {
		t.Fatalf("exit code %d, want 0: %v", code, o.err)
	}
	if said := o.err.String(); !strings.Contains(said, "1 failed, 5 cancelled by their user, 1 deleted by their user") {
		t.Errorf("got the summary %s, want 1 failed, 5 cancelled and 1 deleted", said)
	}
	if _, err := os.Stat(o.kubeconfig); !os.IsNotExist(err) {
		t.Errorf("the kubeconfig is still there: %v", err)
	}
}

// TestDemoRights checks that only the owner can read the kubeconfig, and that its user may change
// jobs in one namespace only.
func TestDemoRights(t *testing.T) {
	t.Parallel()
	o := startDemo(t, "--jobs", "0", "--speed", "20", "--no-messages")
	info, err := os.Stat(o.kubeconfig)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the kubeconfig: got %v and %v, want 0600", info.Mode(), err)
	}
	for namespace, want := range map[string]func(error) bool{"team-vision": apierrors.IsForbidden, demo.Team: apierrors.IsInvalid} {
		_, err := o.client.BatchV1().Jobs(namespace).Create(t.Context(), newJob(namespace, "a"), metav1.CreateOptions{})
		if !want(err) {
			t.Errorf("create of a job in %s: got %v; want it forbidden for team-vision and invalid for the demo's team", namespace, err)
		}
		if _, err := o.client.BatchV1().Jobs(namespace).List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Errorf("list of the jobs of %s: got %v, want no error", namespace, err)
		}
	}
	rc, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	rc.BearerToken = "another"
	stranger, err := kubernetes.NewForConfig(rc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("a stranger gets in: %v", err)
	}
	o.interrupt()
}

// TestDemoRefusesJobs checks that the demo reports mistakes in a job as the API server does.
func TestDemoRefusesJobs(t *testing.T) {
	t.Parallel()
	o := startDemo(t, "--jobs", "0", "--speed", "20", "--no-messages")
	job := newJob(demo.Team, strings.Repeat("a", 300))
	job.Labels = map[string]string{"vedette.io/user": "a b"}
	job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "A\x1b"}}
	_, err := o.client.BatchV1().Jobs(demo.Team).Create(t.Context(), job, metav1.CreateOptions{})
	for _, want := range []string{"metadata.name: Invalid", "metadata.labels: Invalid", "restartPolicy: Required", "containers[0].name: Invalid", "containers[0].image: Required"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	o.interrupt()
}
