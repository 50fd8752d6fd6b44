package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// demoJob is one simulated job.
type demoJob struct {
	*workload
	chance *rand.Rand
	job    *batchv1.Job
	pods   int // attempts so far
}

var (
	models = []string{"llama-ft", "whisper", "resnet50", "bert-base", "sdxl-lora", "yolo"}
	users  = []string{"ana", "ben", "chen", "dita", "emre"}
	teams  = []string{"team-vision", "team-speech", "team-llm"}
)

func newDemoJob(w *workload, i int) *demoJob {
	chance := rand.New(rand.NewPCG(w.seed, uint64(i)))
	name := fmt.Sprintf("%s-%d", models[chance.IntN(len(models))], i)
	suspend, retries := true, int32(1)
	return &demoJob{workload: w, chance: chance, job: &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: teams[chance.IntN(len(teams))], Name: name,
			Labels: map[string]string{"kueue.x-k8s.io/queue-name": "gpu", "vedette.io/user": users[i%len(users)]},
		},
		Spec: batchv1.JobSpec{
			Suspend: &suspend, BackoffLimit: &retries,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "train", Image: "registry.example/" + name}},
			}},
		},
	}}
}

// run takes the job from its submission to its end. It returns nil if ctx is done before
// that.
func (j *demoJob) run(ctx context.Context) error {
	created, err := j.server.Create(j.job)
	if err != nil {
		return err
	}
	j.job = created.(*batchv1.Job)
	j.pass(ctx, j.chance, 300)
	if err := j.condition(batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "waits for quota in queue gpu"); err != nil {
		return err
	}
	select {
	case j.gpus <- struct{}{}:
		defer func() { <-j.gpus }()
	case <-ctx.Done():
		return nil
	}
	j.pass(ctx, j.chance, 800)
	if j.chance.IntN(8) == 0 {
		return j.withdraw()
	}
	if err := j.admit(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		worked, err := j.attempt(ctx)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if worked {
			return j.succeed()
		}
		if j.pods > 1 {
			return j.fail()
		}
		j.pass(ctx, j.chance, 800) // the job controller waits before a retry
	}
	return nil
}

// withdraw deletes the job, as its user does.
func (j *demoJob) withdraw() error {
	j.count("deleted by their user")
	return j.server.Delete(j.job)
}

// admit starts the job, as the queue does.
func (j *demoJob) admit() error {
	run := false
	j.job.Spec.Suspend = &run
	updated, err := j.server.Update(j.job)
	if err != nil {
		return err
	}
	j.job = updated.(*batchv1.Job)
	now := metav1.Now()
	j.job.Status.StartTime = &now
	return j.condition(batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "")
}

// attempt runs one pod of the job to its end, and reports whether it succeeded.
func (j *demoJob) attempt(ctx context.Context) (worked bool, err error) {
	pod, err := j.createPod()
	if err != nil {
		return false, err
	}
	j.job.Status.Active = 1
	if err := j.status(); err != nil {
		return false, err
	}
	j.pass(ctx, j.chance, 500)
	if err := j.schedule(pod); err != nil {
		return false, err
	}
	j.pass(ctx, j.chance, 1000)
	one := int32(1)
	j.job.Status.Ready = &one
	if err := j.runPod(pod, corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}); err != nil {
		return false, err
	}
	j.pass(ctx, j.chance, 4000)
	j.job.Status.Active, j.job.Status.Ready = 0, new(int32)
	if j.chance.IntN(3) == 0 {
		j.job.Status.Failed++
		reason, code := "Error", int32(1)
		if j.chance.IntN(2) == 0 {
			reason, code = "OOMKilled", 137
		}
		return false, j.runPod(pod, corev1.PodFailed, terminated(reason, code))
	}
	j.job.Status.Succeeded = 1
	return true, j.runPod(pod, corev1.PodSucceeded, terminated("Completed", 0))
}

func terminated(reason string, code int32) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, FinishedAt: metav1.Now()}}
}

func (j *demoJob) createPod() (*corev1.Pod, error) {
	j.pods++
	controls := true
	created, err := j.server.Create(&corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: j.job.Namespace, Name: fmt.Sprintf("%s-%d", j.job.Name, j.pods),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "batch/v1", Kind: "Job", Name: j.job.Name, UID: j.job.UID, Controller: &controls,
			}},
		},
		Spec:   j.job.Spec.Template.Spec,
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	})
	if err != nil {
		return nil, err
	}
	return created.(*corev1.Pod), nil
}

// schedule assigns the pod to a node, which pulls the image.
func (j *demoJob) schedule(pod *corev1.Pod) error {
	pod.Spec.NodeName = fmt.Sprintf("gpu-node-%d", j.chance.IntN(gpus)+1)
	updated, err := j.server.Update(pod)
	if err != nil {
		return err
	}
	*pod = *updated.(*corev1.Pod)
	return j.podStatus(pod, corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}})
}

// runPod changes the status of the pod and then that of the job.
func (j *demoJob) runPod(pod *corev1.Pod, phase corev1.PodPhase, c corev1.ContainerState) error {
	if err := j.podStatus(pod, phase, c); err != nil {
		return err
	}
	return j.status()
}

func (j *demoJob) podStatus(pod *corev1.Pod, phase corev1.PodPhase, c corev1.ContainerState) error {
	pod.Status.Phase = phase
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "train", State: c}}
	updated, err := j.server.UpdateStatus(pod)
	if err == nil {
		*pod = *updated.(*corev1.Pod)
	}
	return err
}

func (j *demoJob) succeed() error {
	how := "succeeded"
	if j.pods > 1 {
		how = "succeeded after a retry"
	}
	j.count(how)
	now := metav1.Now()
	j.job.Status.CompletionTime = &now
	return j.condition(batchv1.JobComplete, corev1.ConditionTrue, "CompletionsReached", "")
}

func (j *demoJob) fail() error {
	j.count("failed")
	return j.condition(batchv1.JobFailed, corev1.ConditionTrue, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
}

// condition sets a condition of the job and writes its status.
func (j *demoJob) condition(kind batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) error {
	c := batchv1.JobCondition{Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Now()}
	for i := range j.job.Status.Conditions {
		if j.job.Status.Conditions[i].Type == kind {
			j.job.Status.Conditions[i] = c
			return j.status()
		}
	}
	j.job.Status.Conditions = append(j.job.Status.Conditions, c)
	return j.status()
}

func (j *demoJob) status() error {
	updated, err := j.server.UpdateStatus(j.job)
	if err == nil {
		j.job = updated.(*batchv1.Job)
	}
	return err
}
