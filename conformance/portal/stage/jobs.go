package stage

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/internal/patience"
)

// Failed waits until a job has failed in the cluster.
func (s *Stage) Failed(job string) {
	s.T.Helper()
	patience.Until(s.T, job+" fails", func() string {
		j, err := s.Client.BatchV1().Jobs(Namespace).Get(s.T.Context(), job, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		for _, c := range j.Status.Conditions {
			if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
				return ""
			}
		}
		return fmt.Sprintf("%+v", j.Status)
	})
}

// PodOf returns the name of the pod of a job.
func (s *Stage) PodOf(job string) string {
	s.T.Helper()
	all, err := s.Client.CoreV1().Pods(Namespace).List(s.T.Context(), metav1.ListOptions{LabelSelector: "job-name=" + job})
	if err != nil || len(all.Items) == 0 {
		s.T.Fatalf("no pod of %s: %v", job, err)
	}
	return all.Items[0].Name
}

// Create creates a Job with a pod that runs until the test ends it.
func (s *Stage) Create(name string, labels, notes map[string]string) *batchv1.Job {
	s.T.Helper()
	made, err := s.Client.BatchV1().Jobs(Namespace).Create(s.T.Context(), NewJob(name, labels, notes), metav1.CreateOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	return made
}

// NewJob returns a Job with a pod that runs until the test ends it.
func NewJob(name string, labels, notes map[string]string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace, Labels: labels, Annotations: notes},
		Spec: batchv1.JobSpec{BackoffLimit: new(int32), Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: Quick},
			Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train:7"}}},
		}},
	}
}

// Quick are annotations with which kwok starts a pod at once, and keeps it running for an
// hour.
var Quick = map[string]string{
	"pod-create.stage.kwok.x-k8s.io/delay": "50ms", "pod-create.stage.kwok.x-k8s.io/jitter-delay": "60ms",
	"pod-ready.stage.kwok.x-k8s.io/delay": "50ms", "pod-ready.stage.kwok.x-k8s.io/jitter-delay": "60ms",
	"pod-complete.stage.kwok.x-k8s.io/delay": "1h", "pod-complete.stage.kwok.x-k8s.io/jitter-delay": "2h",
}

// Running waits until a pod of a job runs, and returns its name.
func (s *Stage) Running(job string) (name string) {
	s.T.Helper()
	patience.Until(s.T, "a pod of "+job+" runs", func() string {
		all, err := s.Client.CoreV1().Pods(Namespace).List(s.T.Context(), metav1.ListOptions{LabelSelector: "job-name=" + job})
		if err != nil {
			return err.Error()
		}
		for i := range all.Items {
			if all.Items[i].Status.Phase == corev1.PodRunning {
				name = all.Items[i].Name
				return ""
			}
		}
		return fmt.Sprintf("%d pods, and none runs", len(all.Items))
	})
	return name
}

// Say writes lines of a pod.
func (s *Stage) Say(pod string, lines ...string) {
	s.T.Helper()
	if err := s.Node.Write(Namespace, pod, "main", strings.Join(lines, "\n")+"\n"); err != nil {
		s.T.Fatal(err)
	}
}

// End ends a pod after one more log line, on its node and then in the cluster.
func (s *Stage) End(pod string, exit int32, reason, message string) {
	s.T.Helper()
	if err := errors.Join(s.Node.Write(Namespace, pod, "main", "the end\n"), s.Node.End(Namespace, pod, "main")); err != nil {
		s.T.Fatal(err)
	}
	phase := corev1.PodSucceeded
	if exit != 0 {
		phase = corev1.PodFailed
	}
	patch, err := json.Marshal(map[string]any{"status": corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Reason: reason, Message: message, StartedAt: metav1.Now(), FinishedAt: metav1.Now(), ContainerID: "kwok://1"}},
	}}}})
	if err != nil {
		s.T.Fatal(err)
	}
	if _, err := s.Client.CoreV1().Pods(Namespace).Patch(s.T.Context(), pod, types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		s.T.Fatal(err)
	}
}
