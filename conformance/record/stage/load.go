package stage

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/dice"
	"github.com/vedette-io/vedette/internal/patience"
)

// load creates Jobs, and changes them as users do. It continues during outages of the API
// server.
type load struct {
	Client kubernetes.Interface
	dice   *dice.Dice
	made   atomic.Int64
	Brief  bool // finished Jobs are soon deleted
}

func newLoad(t *testing.T, cfg *rest.Config, d *dice.Dice) *load {
	t.Helper()
	cfg.Timeout = 5 * time.Second
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &load{Client: client, dice: d}
}

func jobName(i int64) string { return fmt.Sprintf("train-%d", i) }

// newJob returns a Job of one to three pods with a limited run time.
func (l *load) newJob(i int64) *batchv1.Job {
	several := 1 + int32(i%3)
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: jobName(i), Labels: map[string]string{"user": fmt.Sprint("user-", i%7)}},
		Spec: batchv1.JobSpec{
			Parallelism: &several, Completions: &several, BackoffLimit: new(int32(4)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"pod-complete.stage.kwok.x-k8s.io/delay": fmt.Sprint(200+l.dice.IntN(4000), "ms")}},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers:    []corev1.Container{{Name: "main", Image: "train"}},
				},
			},
		},
	}
	if i%7 == 0 || l.Brief {
		j.Spec.TTLSecondsAfterFinished = new(int32(1))
	}
	if i%5 == 0 {
		j.Spec.Suspend = new(true)
	}
	return j
}

// submit creates Jobs, one after the other.
func (l *load) submit(ctx context.Context, jobs int64, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := l.made.Load(); i < jobs; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if _, err := l.Client.BatchV1().Jobs("default").Create(ctx, l.newJob(i), metav1.CreateOptions{}); err == nil || apierrors.IsAlreadyExists(err) { // the answer of a killed server may be lost
			i++
			l.made.Store(i)
		}
	}
}

// churn changes one Job after the other until ctx is done. Most requests may fail: the
// Job may be deleted, and the server may be down.
func (l *load) churn(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		made := l.made.Load()
		if made == 0 {
			continue
		}
		i := made - 1 - l.dice.Int64N(min(made, 40)) // of the newest ones
		switch l.dice.IntN(10) {
		case 0:
			_ = l.Client.BatchV1().Jobs("default").Delete(ctx, jobName(i), metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
		case 1: // recreated under the same name
			_ = l.Client.BatchV1().Jobs("default").Delete(ctx, jobName(i), metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
			_, _ = l.Client.BatchV1().Jobs("default").Create(ctx, l.newJob(i), metav1.CreateOptions{})
		case 2, 3, 4:
			l.patch(ctx, jobName(i), `{"spec":{"suspend":false}}`)
		case 5:
			l.patch(ctx, jobName(i), `{"spec":{"suspend":true}}`)
		case 6:
			l.failOne(ctx, i)
		default:
			l.patch(ctx, jobName(i), fmt.Sprintf(`{"metadata":{"labels":{"round":"%d"}}}`, n))
		}
	}
}

func (l *load) patch(ctx context.Context, job, text string) {
	_, _ = l.Client.BatchV1().Jobs("default").Patch(ctx, job, types.MergePatchType, []byte(text), metav1.PatchOptions{})
}

// failOne makes a pod of a Job fail.
func (l *load) failOne(ctx context.Context, i int64) {
	pods, err := l.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + jobName(i), Limit: 1})
	if err != nil || len(pods.Items) == 0 {
		return
	}
	text := `{"status":{"phase":"Failed","reason":"OOMKilled","message":"out of memory"}}`
	_, _ = l.Client.CoreV1().Pods("default").Patch(ctx, pods.Items[0].Name, types.MergePatchType, []byte(text), metav1.PatchOptions{}, "status")
}

// resumeAll resumes every suspended Job, and waits until all but a few have finished: the
// simulation of nodes sometimes forgets a pod when the API server is killed. If finished
// Jobs are deleted, such Jobs are deleted, too.
func (l *load) resumeAll(t *testing.T) {
	t.Helper()
	enough := time.Now().Add(5 * time.Second)
	patience.Work(t, "the Jobs finish", func() (int64, string) {
		jobs, err := l.Client.BatchV1().Jobs("default").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return 0, err.Error()
		}
		running := 0
		for i := range jobs.Items {
			j := &jobs.Items[i]
			if j.Labels["marker"] != "" || finished(j) {
				continue
			}
			running++
			switch {
			case l.Brief && time.Now().After(enough.Add(20*time.Second)):
				_ = l.Client.BatchV1().Jobs("default").Delete(t.Context(), j.Name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
			case j.Spec.Suspend != nil && *j.Spec.Suspend:
				l.patch(t.Context(), j.Name, `{"spec":{"suspend":false}}`)
			}
		}
		if running > len(jobs.Items)/4 || running > 0 && time.Now().Before(enough) {
			return l.made.Load() - int64(running), fmt.Sprint(running, " of ", len(jobs.Items), " run")
		}
		t.Logf("of %d Jobs, %d exist, and %d of them run", l.made.Load(), len(jobs.Items)-1, running)
		return l.made.Load(), ""
	})
}

func finished(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// MakeMarkers creates the marker of each type, which the tests change to have an event.
func (l *load) MakeMarkers(t *testing.T) {
	t.Helper()
	meta := metav1.ObjectMeta{Name: "marker", Labels: map[string]string{"marker": "yes"}}
	job := l.newJob(0)
	job.Spec.TTLSecondsAfterFinished = nil
	job.ObjectMeta = meta
	job.Spec.Suspend = new(true)
	if _, err := l.Client.BatchV1().Jobs("default").Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: meta, Spec: job.Spec.Template.Spec}
	pod.Spec.SchedulerName = "nobody"
	if _, err := l.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
