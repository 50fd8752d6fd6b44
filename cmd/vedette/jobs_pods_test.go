package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
)

// unstarted creates a job that its controller has started, with a pod that has not.
func (p *platform) unstarted(name, node string, status corev1.PodStatus) {
	p.t.Helper()
	j := gpuJob("ml", name, "ann", "", 8)
	p.create(j)
	now := metav1.Now()
	j.Status = batchv1.JobStatus{StartTime: &now, Active: 1, Ready: new(int32)}
	if _, err := p.UpdateStatus(j); err != nil {
		p.t.Fatal(err)
	}
	stored, err := p.Get(j)
	if err != nil {
		p.t.Fatal(err)
	}
	pod := newPod("ml", name+"-0")
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(stored.(*batchv1.Job), batchv1.SchemeGroupVersion.WithKind("Job"))}
	pod.Spec.NodeName = node
	pod.Status = status
	pod.Status.Phase = corev1.PodPending
	p.create(pod)
	if _, err := p.UpdateStatus(pod); err != nil {
		p.t.Fatal(err)
	}
}

// claim creates a pod of another namespace that names a job of ml as its owner.
func (p *platform) claim(name string, status corev1.PodStatus) {
	p.t.Helper()
	owned, err := p.Get(newPod("ml", name+"-0"))
	if err != nil {
		p.t.Fatal(err)
	}
	pod := newPod("other", name+"-1")
	pod.OwnerReferences, pod.Spec.NodeName, pod.Status = owned.GetOwnerReferences(), "gpu-18", status
	pod.Status.Phase = corev1.PodPending
	p.create(pod)
	if _, err := p.UpdateStatus(pod); err != nil {
		p.t.Fatal(err)
	}
}

// TestWatchShowsPods checks that watch prints a line about a job when its pods show another state
// or another reason, also when only jobs are watched.
func TestWatchShowsPods(t *testing.T) {
	t.Parallel()
	for _, types := range []string{"jobs", "jobs,pods"} {
		t.Run(types, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, apitest.Config{})
			srv.create(newPod("ml", "other"))
			p := srv.watch(types, "-A")
			srv.unstarted("train", "", corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}})
			patience.Until(t, "the wait is printed", func() string { return lacks(p, `jobs.batch ml/train (Starting -> )?Queued Unschedulable`) })
			srv.claim("train", corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "InvalidImageName"}}}}})
			for _, reason := range []string{"ErrImagePull", "ImagePullBackOff"} {
				if _, err := apitest.Modify(srv.Server, newPod("ml", "train-0"), func(pod *corev1.Pod) {
					pod.Spec.NodeName = "gpu-17"
					pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
				}); err != nil {
					t.Fatal(err)
				}
				want := "jobs.batch ml/train Queued -> Starting ErrImagePull"
				if reason == "ImagePullBackOff" {
					want = "jobs.batch ml/train Starting ImagePullBackOff"
				}
				patience.Until(t, reason+" is printed", func() string { return lacks(p, want) })
			}
			if err := srv.Delete(newPod("ml", "train-0")); err != nil {
				t.Fatal(err)
			}
			patience.Until(t, "the job without its pod is printed", func() string { return lacks(p, "T jobs.batch ml/train Starting\n") })
			if out := squash(p.out.String()); regexp.MustCompile("jobs.batch ml/train .*InvalidImageName").MatchString(out) {
				t.Errorf("a pod of another namespace counts as one of the job: %s", out)
			}
			p.interrupt()
		})
	}
}

// lacks returns the output of a process if no line of it matches an expression, else "".
func lacks(p *program, want string) string {
	if out := squash(p.out.String()); !regexp.MustCompile(want).MatchString(out) {
		return "the output is: " + out
	}
	return ""
}

// TestJobsWaitForANode checks that a job without Kueue whose pod fits on no node is Queued with the
// scheduler's reason, and that a job with a pod that cannot pull its image has that reason: in the
// list of the cluster and in that of the history, with and without --state.
func TestJobsWaitForANode(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	srv.unstarted("gpus", "", corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/4 nodes are available: 4 Insufficient nvidia.com/gpu."},
	}})
	waiting := func(reason string) corev1.PodStatus {
		return corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}}
	}
	srv.unstarted("image", "gpu-17", waiting("ImagePullBackOff"))
	srv.unstarted("setup", "gpu-17", waiting("ContainerCreating"))
	srv.claim("setup", waiting("ImagePullBackOff"))
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	recorder := start(t, "record", "jobs,pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", db)
	defer recorder.interrupt()
	recorder.err.holds(t, "recording")
	for _, from := range [][]string{nil, {"--db", db}} {
		for _, c := range []struct {
			args []string
			want []string
		}{
			{nil, []string{"gpus Queued Unschedulable", "image Starting ImagePullBackOff", "setup Starting"}},
			{[]string{"--state", "Queued"}, []string{"gpus Queued Unschedulable"}},
			{[]string{"--state", "Starting"}, []string{"image Starting ImagePullBackOff", "setup Starting"}},
		} {
			patience.Until(t, "the jobs are listed", func() string {
				args := append(append([]string{"-A", "--sort", "name", "-o", "jsonpath={.name} {.state} {.reason}"}, c.args...), from...)
				_, out, errors := srv.jobs(args...)
				if got := regexp.MustCompile(` *\n`).ReplaceAllString(strings.TrimRight(out, " \n"), "\n"); got != strings.Join(c.want, "\n") {
					return got + "\n" + errors
				}
				return ""
			})
		}
	}
}
