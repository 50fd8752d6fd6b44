package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

const (
	finalizer = "example.com/workers"
	jobLabel  = "example.com/job" // its UID
)

// reconciler has what a reconcile needs: copies to read, clients to write.
type reconciler struct {
	identity string
	jobs     *informer.Informer[TrainJob]
	pods     *informer.Informer[corev1.Pod]
	byOwner  *informer.Index[corev1.Pod]

	jobWriter *kube.Client[TrainJob]
	podWriter *kube.Client[corev1.Pod]
}

func newReconciler(cluster *kube.Cluster, jobs *informer.Informer[TrainJob], pods *informer.Informer[corev1.Pod], identity string) (*reconciler, error) {
	r := &reconciler{identity: identity, jobs: jobs, pods: pods}
	var err error
	if r.byOwner, err = informer.IndexField(pods, "metadata.ownerReferences[*].uid"); err != nil {
		return nil, err
	}
	if r.jobWriter, err = kube.For[TrainJob](cluster, kube.ClientConfig{Resource: "trainjobs.example.com"}); err != nil {
		return nil, err
	}
	r.podWriter, err = kube.For[corev1.Pod](cluster, kube.ClientConfig{})
	return r, err
}

// reconcile makes the pods and the status of one job as they should be. It may be called at
// any time and any number of times, because it compares states and does not read events.
func (r *reconciler) reconcile(ctx context.Context, v informer.View, req controller.Request) error {
	job, ok, err := r.jobs.In(v).Get(req.Key)
	if !ok || err != nil {
		return err // the job is deleted, and its finalizer has removed the pods
	}
	job.APIVersion, job.Kind = "example.com/v1", "TrainJob"
	if job.DeletionTimestamp != nil {
		return r.remove(ctx, job)
	}
	if kube.AddFinalizer(job, finalizer) { // before the first pod
		if job, err = r.jobWriter.Update(ctx, job); err != nil {
			return err
		}
	}
	have, err := r.scale(ctx, v, job)
	if err != nil {
		return err
	}
	return r.report(ctx, job, have, req)
}

// scale creates the pods that are missing, and deletes those that are too many. It
// returns how many there are then.
func (r *reconciler) scale(ctx context.Context, v informer.View, job *TrainJob) (int, error) {
	there := map[string]bool{}
	for pod, err := range r.byOwner.Get(r.pods.In(v), string(job.UID)) {
		if err != nil {
			return 0, err
		}
		there[pod.Name] = true
	}
	want := map[string]bool{}
	for i := range job.Spec.Workers {
		name := fmt.Sprintf("%s-%d", job.Name, i)
		want[name] = true
		if there[name] {
			continue
		}
		pod := worker(job, name)
		if err := kube.SetController(pod, job); err != nil {
			return 0, controller.Terminal(err)
		}
		if _, err := r.podWriter.Create(ctx, pod); err != nil {
			return 0, err
		}
	}
	for name := range there {
		if !want[name] {
			if err := r.delete(ctx, job.Namespace, name); err != nil {
				return 0, err
			}
		}
	}
	return len(want), nil
}

// report writes the status if it has changed. Update needs the version that was read: if
// another client has changed the job in the meantime, the result is a conflict, and the
// reconcile is retried with the new state.
func (r *reconciler) report(ctx context.Context, job *TrainJob, have int, req controller.Request) error {
	if job.Status.Token > req.Token {
		return controller.Terminal(controller.ErrFenced) // another replica has the job now
	}
	if job.Status.Workers == have && job.Status.ObservedGeneration == job.Generation {
		return nil
	}
	job.Status = TrainStatus{Workers: have, ObservedGeneration: job.Generation, HandledBy: r.identity, Token: req.Token}
	_, err := r.jobWriter.Status().Update(ctx, job)
	return err
}

// remove deletes all pods of a job, and lets it go when none is left. Here it asks
// the server, and not the copy: a pod whose creation was never answered, since the
// server was killed, may not be in the copy yet, and nobody would look for it later.
// One case is left to the cluster's garbage collector: a server that deletes a job at the
// moment at which the finalizer is added may do both (kubernetes/kubernetes#77988), unless
// who deletes it names the version.
func (r *reconciler) remove(ctx context.Context, job *TrainJob) error {
	if !kube.HasFinalizer(job, finalizer) {
		return nil
	}
	its := kube.Where{Namespace: job.Namespace, LabelSelector: jobLabel + "=" + string(job.UID)}
	left, err := r.podWriter.DeleteAll(ctx, its, kube.DeleteOptions{})
	switch {
	case err != nil:
		return err
	case left > 0:
		return controller.RequeueAfter(time.Second) // or earlier, after the deletion of a pod
	}
	kube.RemoveFinalizer(job, finalizer)
	_, err = r.jobWriter.Update(ctx, job)
	return kube.IgnoreNotFound(err)
}

func (r *reconciler) delete(ctx context.Context, namespace, name string) error {
	return kube.IgnoreNotFound(r.podWriter.Delete(ctx, wire.Key{Namespace: namespace, Name: name}, kube.DeleteOptions{}))
}

func worker(job *TrainJob, name string) *corev1.Pod {
	labels := map[string]string{"app": "trainjob", jobLabel: string(job.UID)}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: job.Namespace, Name: name, Labels: labels},
		Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train"}}},
	}
}
