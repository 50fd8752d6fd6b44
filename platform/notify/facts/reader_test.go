package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func podSpec() corev1.PodSpec {
	limits := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "memory": resource.MustParse("480Gi")}
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "train", Resources: corev1.ResourceRequirements{Limits: limits}}}}
}

// begin creates the pod of an attempt on a node, and sets it to running.
func (p *platform) begin(attempt int, node string) *corev1.Pod {
	p.Helper()
	j, err := p.srv.Get(trainJob())
	if err != nil {
		p.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: fmt.Sprint("train-", attempt), OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: j.GetUID(), Controller: new(true)},
	}}, Spec: podSpec()}
	pod.Spec.NodeName = node
	pod.Status.Phase = corev1.PodRunning
	p.create(pod)
	if _, err := apitest.Modify(p.srv, pod, func(o *corev1.Pod) { o.Status.Phase = corev1.PodRunning }); err != nil {
		p.Fatal(err)
	}
	p.seen(pod.Name, job.Running)
	p.status(func(s *batchv1.JobStatus) { s.StartTime, s.Active, s.Ready = new(metav1.Now()), 1, new(int32(1)) })
	p.seen("train", job.Running)
	return pod
}

// end sets a pod to failed.
func (p *platform) end(pod *corev1.Pod, reason string, code int32) {
	p.Helper()
	if _, err := apitest.Modify(p.srv, pod, func(o *corev1.Pod) {
		o.Status.Phase = corev1.PodFailed
		o.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: reason, ExitCode: code, FinishedAt: metav1.Now(),
		}}}}
	}); err != nil {
		p.Fatal(err)
	}
	p.seen(pod.Name, job.Failed)
}

// restart sets the number of failed attempts in the status of the job.
func (p *platform) restart(failed int32) feed.Transition {
	p.Helper()
	p.status(func(s *batchv1.JobStatus) { // in two steps, as the Job controller does
		s.Active, s.Ready, s.UncountedTerminatedPods = 0, new(int32(0)), &batchv1.UncountedTerminatedPods{Failed: []types.UID{"ended"}}
	})
	p.status(func(s *batchv1.JobStatus) {
		s.Failed, s.UncountedTerminatedPods = failed, &batchv1.UncountedTerminatedPods{}
	})
	return p.seen("train", job.Restarting)
}

// TestLifeOfAJob follows a job of three attempts to its failure.
func TestLifeOfAJob(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		p := newPlatform(t, url)
		p.create(trainJob())
		p.seen("train", job.Submitted)
		first := p.begin(1, "node-1")
		started := p.fill(message.Started, p.seen("train", job.Running))
		p.end(first, "Error", 1)
		restart := p.restart(1)
		restarted := p.fill(message.Restarted, restart)
		p.end(p.begin(2, "node-2"), "OOMKilled", 137)
		p.restart(2)
		p.end(p.begin(3, "node-3"), "OOMKilled", 137)
		p.status(func(s *batchv1.JobStatus) {
			s.Active, s.Ready, s.Failed = 0, new(int32(0)), 3
			s.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Reason: "BackoffLimitExceeded", Message: "too many", LastTransitionTime: metav1.Now()}}
		})
		failed := p.fill(message.Failed, p.seen("train", job.Failed))

		again := p.fill(message.Restarted, restart)
		again.Job.Nodes = restarted.Job.Nodes // node facts always have the current nodes
		if diff := cmp.Diff(restarted, again); diff != "" {
			t.Errorf("the notice of the restart, when the job has ended (-before +after):\n%s", diff)
		}
		j := started.Job
		if j.Cluster != "gpu-west" || j.ClusterUID == "" || j.UID == "" || j.Type != "jobs.batch" || j.Kind != "Job" || j.Namespace != "ml" || j.Name != "train" ||
			j.Queue != "gpu-h100" || j.Owner != "ann" || j.GPUs != 8 || j.Nodes != 1 {
			t.Errorf("got job %+v, want train in ml, of ann, with 8 GPUs in gpu-h100", j)
		}
		if started.Attempt != 1 || started.Attempts != 3 || started.Waited == nil || *started.Waited <= 0 || started.Cause != (message.Cause{}) {
			t.Errorf("started: got %+v, want attempt 1 of 3, with a time waited and no cause", started)
		}
		if c := restarted.Cause; restarted.Attempt != 2 || restarted.Attempts != 3 || c.Reason != message.ExitError || *c.ExitCode != 1 || c.Pod != "train-1" || c.Node != "node-1" || restarted.SameCause != nil {
			t.Errorf("restarted: got %+v, want attempt 2 of 3, ExitError with code 1 on node-1", restarted)
		}
		c := failed.Cause
		if failed.Attempt != 3 || failed.Attempts != 3 || c.Reason != message.OOMKilled || c.ExitCode == nil || *c.ExitCode != 137 || c.Pod != "train-3" || c.Node != "node-3" || c.Limit != "480 GiB" {
			t.Errorf("failed: got %+v, want attempt 3 of 3, OOMKilled with code 137 and limit 480 GiB", failed)
		}
		if !slices.Equal(failed.SameCause, []int{2, 3}) {
			t.Errorf("attempts with the same cause: %v", failed.SameCause)
		}
		if failed.Ran == nil || *failed.Ran <= 0 || len(failed.Life) == 0 || failed.Life[0].State != job.Submitted || failed.Life[len(failed.Life)-1].Attempt != 3 {
			t.Errorf("got a time of %v and life %+v, want Submitted first and attempt 3 last", failed.Ran, failed.Life)
		}
		m, err := message.Compose(&failed, message.Options{})
		if want := "train-3 used all of its 480 GiB of memory on node-3 and was killed. Attempts 2 and 3 ended the same way; no retries were left."; err != nil || m.Sentence != want {
			t.Errorf("got %q and error %v, want %q", m.Sentence, err, want)
		}
	})
}

// TestGapInALife: a gap is marked in the life of a job.
func TestGapInALife(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		p := newPlatform(t, url)
		p.create(trainJob())
		p.seen("train", job.Submitted) // a life is known only from its beginning
		p.begin(1, "node-1")
		p.seen("train", job.Running)
		p.stop()
		p.status(func(s *batchv1.JobStatus) { s.Ready = new(int32(0)); s.Failed = 1 })
		p.srv.Compact()
		p.record()
		p.seen("train", job.Restarting)
		p.status(func(s *batchv1.JobStatus) {
			s.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Reason: "BackoffLimitExceeded", LastTransitionTime: metav1.Now()}}
		})
		n := p.fill(message.Failed, p.seen("train", job.Failed))
		gaps := 0
		for _, s := range n.Life {
			if s.Gap {
				gaps++
			}
		}
		if gaps == 0 {
			t.Errorf("no gap in %+v", n.Life)
		}
	})
}

// TestDeadline: a job that exceeds its deadline has no pod as the cause, and the deadline
// is known before.
func TestDeadline(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		p := newPlatform(t, url)
		p.create(trainJob())
		pod := p.begin(1, "node-1")
		running := p.seen("train", job.Running)
		spec, err := facts.New(p.db).Spec(t.Context(), running.Object.ID, running.Version)
		if left := time.Until(spec.Deadline); err != nil || left < 110*time.Minute || left > 2*time.Hour || spec.Annotation("vedette.io/user") != "ann" {
			t.Errorf("got %+v and error %v, want a deadline in 2 hours and user ann", spec, err)
		}
		if ready, ok := spec.Field("status.ready"); !ok || ready != "1" {
			t.Errorf("status.ready: got %q (%v), want 1", ready, ok)
		}
		p.end(pod, "Error", 143)
		p.status(func(s *batchv1.JobStatus) {
			s.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Reason: "DeadlineExceeded", LastTransitionTime: metav1.Now()}}
		})
		n := p.fill(message.Failed, p.seen("train", job.Failed))
		if n.Cause != (message.Cause{Reason: message.DeadlineExceeded, Limit: "2h"}) {
			t.Errorf("got cause %+v, want DeadlineExceeded with limit 2h", n.Cause)
		}
	})
}

// TestHostileJob: a job with huge and invalid fields gets a notice with the remaining
// facts.
func TestHostileJob(t *testing.T) {
	p := newPlatform(t, dbtest.Empty(t, "sqlite"))
	j := trainJob()
	j.Annotations["huge"] = strings.Repeat("<@all>\n\u202e", 20_000)
	j.Spec.Parallelism = new(int32(-5))
	p.create(j)
	n := p.fill(message.StateChanged, p.seen("train", job.Submitted))
	if n.Job.Name != "train" || n.Job.GPUs != 8 || n.Ran != nil {
		t.Errorf("got %+v, want train with 8 GPUs, and no time that it ran", n)
	}
	unknown := feed.Object{ID: 1 << 40, Name: "gone", UID: "none"}
	n = message.Notice{Kind: message.Failed, Version: 7}
	if err := facts.New(p.db).Fill(t.Context(), &n, unknown); err != nil || n.Job.Name != "gone" || n.Attempt != 0 || n.Waited != nil {
		t.Errorf("of an object that is not recorded: %+v, %v", n, err)
	}
}
