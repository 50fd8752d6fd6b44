package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// run takes the job from its submission to its end. It returns nil if ctx is done before
// that.
func (l *demoJob) run(ctx context.Context) error {
	created, err := l.server.Create(l.job)
	if err != nil {
		return err
	}
	l.job = created.(*batchv1.Job)
	l.pass(ctx, l.chance, 300)
	if err := l.condition(batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "waits for quota in queue gpu"); err != nil {
		return err
	}
	select {
	case l.gpus <- struct{}{}:
		defer func() { <-l.gpus }()
	case <-ctx.Done():
		return nil
	}
	l.pass(ctx, l.chance, 800)
	if l.chance.IntN(8) == 0 {
		return l.withdraw()
	}
	if err := l.admit(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		worked, err := l.attempt(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if worked {
			return l.succeed()
		}
		if l.pods > 1 {
			return l.fail()
		}
		l.pass(ctx, l.chance, 800) // the job controller waits before a retry
	}
	return nil
}

// withdraw deletes the job, as its user does.
func (l *demoJob) withdraw() error {
	l.count("deleted by their user")
	return l.server.Delete(l.job)
}

// admit starts the job, as the queue does.
func (l *demoJob) admit() error {
	run := false
	l.job.Spec.Suspend = &run
	updated, err := l.server.Update(l.job)
	if err != nil {
		return err
	}
	l.job = updated.(*batchv1.Job)
	now := metav1.Now()
	l.job.Status.StartTime = &now
	return l.condition(batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "")
}

// attempt runs one pod of the job to its end, and reports whether it succeeded.
func (l *demoJob) attempt(ctx context.Context) (worked bool, err error) {
	pod, err := l.createPod()
	if err != nil {
		return false, err
	}
	l.job.Status.Active = 1
	if err := l.status(); err != nil {
		return false, err
	}
	l.pass(ctx, l.chance, 500)
	if err := l.schedule(pod); err != nil {
		return false, err
	}
	l.pass(ctx, l.chance, 1000)
	one := int32(1)
	l.job.Status.Ready = &one
	if err := l.runPod(pod, corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}); err != nil {
		return false, err
	}
	l.pass(ctx, l.chance, 4000)
	l.job.Status.Active, l.job.Status.Ready = 0, new(int32)
	if l.chance.IntN(3) == 0 {
		l.job.Status.Failed++
		reason, code := "Error", int32(1)
		if l.chance.IntN(2) == 0 {
			reason, code = "OOMKilled", 137
		}
		return false, l.runPod(pod, corev1.PodFailed, terminated(reason, code))
	}
	l.job.Status.Succeeded = 1
	return true, l.runPod(pod, corev1.PodSucceeded, terminated("Completed", 0))
}

func terminated(reason string, code int32) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, FinishedAt: metav1.Now()}}
}

func (l *demoJob) createPod() (*corev1.Pod, error) {
	l.pods++
	controls := true
	created, err := l.server.Create(&corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: l.job.Namespace, Name: fmt.Sprintf("%s-%d", l.job.Name, l.pods),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "batch/v1", Kind: "Job", Name: l.job.Name, UID: l.job.UID, Controller: &controls,
			}},
		},
		Spec:   l.job.Spec.Template.Spec,
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	})
	if err != nil {
		return nil, err
	}
	return created.(*corev1.Pod), nil
}

// schedule assigns the pod to a node, which pulls the image.
func (l *demoJob) schedule(pod *corev1.Pod) error {
	pod.Spec.NodeName = fmt.Sprintf("gpu-node-%d", l.chance.IntN(gpus)+1)
	updated, err := l.server.Update(pod)
	if err != nil {
		return err
	}
	*pod = *updated.(*corev1.Pod)
	return l.podStatus(pod, corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}})
}

// runPod changes the status of the pod and then that of the job.
func (l *demoJob) runPod(pod *corev1.Pod, phase corev1.PodPhase, c corev1.ContainerState) error {
	if err := l.podStatus(pod, phase, c); err != nil {
		return err
	}
	return l.status()
}

func (l *demoJob) podStatus(pod *corev1.Pod, phase corev1.PodPhase, c corev1.ContainerState) error {
	pod.Status.Phase = phase
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "train", State: c}}
	updated, err := l.server.UpdateStatus(pod)
	if err == nil {
		*pod = *updated.(*corev1.Pod)
	}
	return err
}

func (l *demoJob) succeed() error {
	how := "succeeded"
	if l.pods > 1 {
		how = "succeeded after a retry"
	}
	l.count(how)
	now := metav1.Now()
	l.job.Status.CompletionTime = &now
	return l.condition(batchv1.JobComplete, corev1.ConditionTrue, "CompletionsReached", "")
}

func (l *demoJob) fail() error {
	l.count("failed")
	return l.condition(batchv1.JobFailed, corev1.ConditionTrue, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
}

// condition sets a condition of the job and writes its status.
func (l *demoJob) condition(kind batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) error {
	c := batchv1.JobCondition{Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Now()}
	for i := range l.job.Status.Conditions {
		if l.job.Status.Conditions[i].Type == kind {
			l.job.Status.Conditions[i] = c
			return l.status()
		}
	}
	l.job.Status.Conditions = append(l.job.Status.Conditions, c)
	return l.status()
}

func (l *demoJob) status() error {
	updated, err := l.server.UpdateStatus(l.job)
	if err == nil {
		l.job = updated.(*batchv1.Job)
	}
	return err
}
