package dropin_test

import (
	"cmp"
	"fmt"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/internal/patience"
)

// size is the amount of work of a run.
type size struct{ nodes, pods, jobs, deployments int }

// The fraction of the objects that is deleted, and the pods that cannot run.
const (
	deletedPart = 5 // one of this many
	tooLarge    = 3 // pods that fit on no node
	writers     = 16
)

// workload makes the same requests in each run.
type workload struct {
	size
	client kubernetes.Interface
}

// each calls do for 0 to n-1 on several goroutines. The errors fail the test.
func (w *workload) each(t *testing.T, n int, do func(i int) error) {
	t.Helper()
	work := make(chan int)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := range work {
				if err := do(i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// prepare creates the nodes and the namespaces.
func (w *workload) prepare(t *testing.T) {
	t.Helper()
	w.each(t, w.nodes, func(i int) error {
		_, err := w.client.CoreV1().Nodes().Create(t.Context(), newNode(i), metav1.CreateOptions{})
		return err
	})
	w.each(t, len(namespaces), func(i int) error {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaces[i]}}
		_, err := w.client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{})
		return err
	})
}

// fill creates the pods, jobs, deployments and services.
func (w *workload) fill(t *testing.T) {
	t.Helper()
	ctx, no := t.Context(), metav1.CreateOptions{}
	// One more than there are nodes.
	w.each(t, w.nodes, func(i int) error {
		_, err := w.client.CoreV1().Pods(apartPods).Create(ctx, newApart(i), no)
		return err
	})
	w.apart(t)
	w.each(t, w.deployments+w.deployments/deletedPart, func(i int) error {
		namespace := rollouts
		if i >= w.deployments {
			namespace = doomed
		}
		if _, err := w.client.CoreV1().Services(namespace).Create(ctx, newService(namespace, i), no); err != nil {
			return err
		}
		_, err := w.client.AppsV1().Deployments(namespace).Create(ctx, newDeployment(namespace, i), no)
		return err
	})
	w.each(t, w.jobs+w.jobs/deletedPart, func(i int) error {
		namespace := jobs
		if i >= w.jobs {
			namespace = doomed
		}
		_, err := w.client.BatchV1().Jobs(namespace).Create(ctx, newJob(namespace, i), no)
		return err
	})
	w.each(t, w.pods, func(i int) error {
		_, err := w.client.CoreV1().Pods(plainPods).Create(ctx, newPod(plainPods, fmt.Sprintf("pod-%d", i), "500m"), no)
		return err
	})
	w.each(t, tooLarge, func(i int) error {
		_, err := w.client.CoreV1().Pods(apartPods).Create(ctx, newPod(apartPods, fmt.Sprintf("large-%d", i), "100"), no)
		return err
	})
}

// apart waits until all but one of the pods with anti-affinity run.
func (w *workload) apart(t *testing.T) {
	t.Helper()
	patience.Work(t, "pods with anti-affinity are bound", func() (int64, string) {
		list, err := w.client.CoreV1().Pods(apartPods).List(t.Context(), metav1.ListOptions{FieldSelector: "status.phase=Running"})
		return int64(len(list.Items)), problem(err, len(list.Items), w.nodes-1, "pods with anti-affinity run")
	})
}

// settle waits until all pods run or have completed.
func (w *workload) settle(t *testing.T, revision string) {
	t.Helper()
	patience.Work(t, "all pods are bound", func() (int64, string) {
		list, err := w.client.CoreV1().Pods(plainPods).List(t.Context(), metav1.ListOptions{FieldSelector: "status.phase=Running", ResourceVersion: "0"})
		return int64(len(list.Items)), problem(err, len(list.Items), w.pods, "plain pods run")
	})
	w.apart(t)
	patience.Work(t, "jobs are complete", func() (int64, string) {
		list, err := w.client.BatchV1().Jobs(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
		done := count(list.Items, complete)
		return int64(done), problem(err, done, len(list.Items), "jobs are complete")
	})
	patience.Work(t, "deployments are rolled out", func() (done int64, last string) {
		list, err := w.client.AppsV1().Deployments(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
		for i := range list.Items {
			if d := &list.Items[i]; rolled(d, revision) {
				done++
			} else {
				last = fmt.Sprintf("%s has not revision %s: annotations %v, status %+v", d.Name, revision, d.Annotations, d.Status)
			}
		}
		return done, cmp.Or(last, problem(err, 0, 0, ""))
	})
}

// problem describes a missing condition; "" if there is none.
func problem(err error, got, want int, what string) string {
	if err != nil {
		return err.Error()
	}
	if got != want {
		return fmt.Sprintf("%d of %d %s", got, want, what)
	}
	return ""
}

// left is [problem] for objects that are deleted, of most. It counts the deleted ones.
func left(err error, got, want, most int, what string) (done int64, _ string) {
	if err != nil {
		return 0, err.Error()
	}
	return int64(most - got), problem(nil, got, want, what)
}

func count[T any](items []T, holds func(*T) bool) (n int) {
	for i := range items {
		if holds(&items[i]) {
			n++
		}
	}
	return n
}

func complete(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobComplete && c.Status == corev1.ConditionTrue {
			return j.Status.Succeeded == *j.Spec.Completions && j.Status.Active == 0
		}
	}
	return false
}

func rolled(d *appsv1.Deployment, revision string) bool {
	s := d.Status
	return d.Annotations["deployment.kubernetes.io/revision"] == revision && s.ObservedGeneration == d.Generation &&
		s.Replicas == replicas && s.UpdatedReplicas == replicas && s.AvailableReplicas == replicas && (s.TerminatingReplicas == nil || *s.TerminatingReplicas == 0)
}

// roll gives all deployments another image.
func (w *workload) roll(t *testing.T) {
	t.Helper()
	patch := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"example.com/main:2"}]}}}}`)
	w.each(t, w.deployments+w.deployments/deletedPart, func(i int) error {
		namespace := rollouts
		if i >= w.deployments {
			namespace = doomed
		}
		_, err := w.client.AppsV1().Deployments(namespace).Patch(t.Context(), fmt.Sprintf("deployment-%d", i), types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// remove deletes a namespace, jobs in the background and deployments in the foreground, and
// waits until their dependents are collected.
func (w *workload) remove(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	if err := w.client.CoreV1().Namespaces().Delete(ctx, doomed, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.each(t, w.jobs/deletedPart, func(i int) error {
		return w.client.BatchV1().Jobs(jobs).Delete(ctx, fmt.Sprintf("job-%d", i), metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
	})
	w.each(t, w.deployments/deletedPart, func(i int) error {
		return w.client.AppsV1().Deployments(rollouts).Delete(ctx, fmt.Sprintf("deployment-%d", i), metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)})
	})
	patience.Until(t, "the namespace is deleted", func() string {
		_, err := w.client.CoreV1().Namespaces().Get(ctx, doomed, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return fmt.Sprintf("it exists (%v)", err)
	})
	kept := w.deployments - w.deployments/deletedPart // and the one of probe, which was not rolled
	most := 2 * (w.deployments + 1)
	patience.Work(t, "replica sets are collected", func() (int64, string) {
		sets, err := w.client.AppsV1().ReplicaSets(rollouts).List(ctx, metav1.ListOptions{})
		return left(err, len(sets.Items), 2*kept+1, most, "replica sets that remain")
	})
	patience.Work(t, "pods of deployments are collected", func() (int64, string) {
		pods, err := w.client.CoreV1().Pods(rollouts).List(ctx, metav1.ListOptions{})
		return left(err, len(pods.Items), replicas*(kept+1), replicas*most, "pods of deployments that remain")
	})
	patience.Work(t, "pods of jobs are collected", func() (int64, string) {
		pods, err := w.client.CoreV1().Pods(jobs).List(ctx, metav1.ListOptions{})
		return left(err, len(pods.Items), 4*(w.jobs-w.jobs/deletedPart), 4*w.jobs, "pods of jobs that remain")
	})
}

// probe checks that restarted programs still work: a deployment becomes available.
func (w *workload) probe(t *testing.T) {
	t.Helper()
	if _, err := w.client.AppsV1().Deployments(rollouts).Create(t.Context(), newDeployment(rollouts, w.deployments), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "a new deployment becomes available after the restart", func() string {
		d, err := w.client.AppsV1().Deployments(rollouts).Get(t.Context(), fmt.Sprintf("deployment-%d", w.deployments), metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if !rolled(d, "1") {
			return fmt.Sprintf("%d of %d pods are available", d.Status.AvailableReplicas, replicas)
		}
		return ""
	})
}
