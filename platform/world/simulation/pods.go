package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// maxPods bounds the pods of one attempt.
const maxPods = 8

// gpuResource is the resource name of GPUs.
const gpuResource = "nvidia.com/gpu"

// podGroup is the pods of one attempt of a job. They start and end together.
type podGroup struct {
	*world
	plan    *jobPlan
	attempt int
	pods    []*corev1.Pod
}

// newPodGroup creates the pods of an attempt.
func newPodGroup(w *world, plan *jobPlan, job *batchv1.Job, attempt int) (*podGroup, error) {
	g := &podGroup{world: w, plan: plan, attempt: attempt}
	n := 1
	if p := job.Spec.Parallelism; p != nil {
		n = min(max(int(*p), 1), maxPods)
	}
	controls := true
	for range n {
		created, err := w.server.Create(&corev1.Pod{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{
				Namespace: job.Namespace, Name: job.Name + "-" + suffix(g.plan),
				Labels: map[string]string{"batch.kubernetes.io/job-name": job.Name, "batch.kubernetes.io/controller-uid": string(job.UID), "job-name": job.Name},
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID, Controller: &controls,
				}},
			},
			Spec:   job.Spec.Template.Spec,
			Status: corev1.PodStatus{Phase: corev1.PodPending},
		})
		if err != nil {
			return nil, err
		}
		g.pods = append(g.pods, created.(*corev1.Pod))
	}
	return g, nil
}

// suffix is the end of the name of a pod, as the job controller makes it.
func suffix(p *jobPlan) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	text := make([]byte, 5)
	for i := range text {
		text[i] = letters[p.texts.IntN(len(letters))]
	}
	return string(text)
}

// fits reports whether a node has the GPUs that a pod asks for.
func (g *podGroup) fits() bool {
	var sum resource.Quantity
	for _, c := range g.pods[0].Spec.Containers {
		sum.Add(c.Resources.Limits[gpuResource])
	}
	return sum.CmpInt64(gpusOfNode) <= 0
}

// waitForever marks pods that fit on no node, and waits until ctx is done.
func (g *podGroup) waitForever(ctx context.Context) error {
	err := g.change(func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, LastTransitionTime: metav1.Now(),
			Message: fmt.Sprintf("0/%d nodes are available: %d Insufficient %s.", nodes, nodes, gpuResource),
		}}
	})
	if err == nil {
		<-ctx.Done()
	}
	return err
}

// schedule assigns the pods to nodes, which pull the image.
func (g *podGroup) schedule() error {
	return g.change(func(pod *corev1.Pod) {
		pod.Spec.NodeName = fmt.Sprintf("gpu-node-%d", g.plan.texts.IntN(nodes)+1)
		setContainers(pod, corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}})
	})
}

// pullFails reports whether the registry lacks an image, which has the word missing in its name.
func (g *podGroup) pullFails() bool {
	return slices.ContainsFunc(g.pods[0].Spec.Containers, func(c corev1.Container) bool { return strings.Contains(c.Image, "missing") })
}

// waitForImage marks pods whose image cannot be pulled, and waits until ctx is done.
func (g *podGroup) waitForImage(ctx context.Context) error {
	err := g.change(func(pod *corev1.Pod) {
		why := &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: fmt.Sprintf("Back-off pulling image %q", pod.Spec.Containers[0].Image)}
		setContainers(pod, corev1.PodPending, corev1.ContainerState{Waiting: why})
	})
	if err == nil {
		<-ctx.Done()
	}
	return err
}

// begin starts the containers.
func (g *podGroup) begin() error {
	now := metav1.Now()
	return g.change(func(pod *corev1.Pod) {
		pod.Status.StartTime = &now
		setContainers(pod, corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}})
	})
}

// end ends the containers. An empty reason is success.
func (g *podGroup) end(reason string, code int32) error {
	phase := corev1.PodFailed
	if reason == "" {
		phase, reason = corev1.PodSucceeded, "Completed"
	}
	return g.change(func(pod *corev1.Pod) {
		c := &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, FinishedAt: metav1.Now()}
		if pod.Status.StartTime != nil {
			c.StartedAt = *pod.Status.StartTime
		}
		setContainers(pod, phase, corev1.ContainerState{Terminated: c})
	})
}

func setContainers(pod *corev1.Pod, phase corev1.PodPhase, s corev1.ContainerState) {
	pod.Status.Phase, pod.Status.ContainerStatuses = phase, nil
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, Image: c.Image, State: s, Ready: s.Running != nil})
	}
}

// change changes all pods, except those that were deleted.
func (g *podGroup) change(change func(*corev1.Pod)) error {
	for i, pod := range g.pods {
		next, err := apitest.Modify(g.server, pod, change)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return err
		default:
			g.pods[i] = next
		}
	}
	return nil
}

// train writes the logs of the containers until the time is over. The last lines of a failed run
// give the reason.
func (g *podGroup) train(ctx context.Context, d time.Duration, failure string) {
	began := time.Now()
	for rank, pod := range g.pods {
		for _, line := range firstLines(pod, rank, len(g.pods), g.attempt) {
			g.write(pod, line)
		}
	}
	steps := max(int(d/stepLength), 1)
	for step := 1; step <= steps && ctx.Err() == nil; step++ {
		g.elapse(ctx, d/time.Duration(steps))
		for rank, pod := range g.pods {
			g.write(pod, stepLine(g.plan.texts, rank, step, steps))
		}
	}
	if ctx.Err() != nil {
		return
	}
	for rank, pod := range g.pods {
		for _, line := range lastLines(failure, rank, steps, time.Since(began)) {
			g.write(pod, line)
		}
	}
}

// write adds a line to the log of a pod. A deleted pod has no log.
func (g *podGroup) write(pod *corev1.Pod, line string) {
	for _, c := range pod.Spec.Containers[:1] {
		_ = g.server.WriteLog(pod.Namespace, pod.Name, c.Name, line+"\n")
	}
}

// removePods deletes the pods of a job, as the garbage collector does.
func removePods(server *apitest.Server, job *batchv1.Job) error {
	pods, err := server.List(&corev1.Pod{}, job.Namespace)
	if err != nil {
		return err
	}
	for _, pod := range pods {
		if of := metav1.GetControllerOf(pod); of == nil || of.UID != job.UID {
			continue
		}
		if err := server.Delete(pod); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
