package submit_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// testWrongImage: the server accepts any text as image. While a user waits for the job, the
// output explains why its pod cannot start.
func testWrongImage(t *testing.T, s *stage) {
	cmd := exec.CommandContext(t.Context(), s.program, "submit", "--image", "example.com/Train:7", "--name", "train-7", "--wait", "--", "python", "train.py")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig(t, ""))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	until := func(want string) {
		t.Helper()
		if len(lines) > 0 && strings.Contains(lines[len(lines)-1], want) {
			return
		}
		for scan := bufio.NewScanner(out); scan.Scan(); {
			lines = append(lines, scan.Text())
			if strings.Contains(scan.Text(), want) {
				return
			}
		}
		t.Errorf("%q is not in\n%s", want, strings.Join(lines, "\n"))
	}
	until("job/train-7  Submitted")
	job, err := s.client.BatchV1().Jobs(s.namespace).Get(t.Context(), "train-7", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if image := job.Spec.Template.Spec.Containers[0].Image; image != "example.com/Train:7" {
		t.Errorf("image %q", image)
	}
	s.pend(t, job, "InvalidImageName", `Failed to apply default image tag "example.com/Train:7": invalid reference format`)
	until(`pod train-7-x is Starting: InvalidImageName Failed to apply default image tag "example.com/Train:7": invalid reference format`)
	background := metav1.DeletePropagationBackground
	if err := s.client.BatchV1().Jobs(s.namespace).Delete(t.Context(), "train-7", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	until("job/train-7  Deleted")
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("%v", cmd.ProcessState)
	}
}

// pend creates a pod of a job that a kubelet has refused to start.
func (s *stage) pend(t *testing.T, job *batchv1.Job, reason, message string) {
	t.Helper()
	yes := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: job.Name + "-x", OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID, Controller: &yes}}},
		Spec:       job.Spec.Template.Spec,
	}
	pod.Spec.NodeName = "node-1"
	pods := s.client.CoreV1().Pods(s.namespace)
	made, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
	if err == nil {
		made.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
		_, err = pods.UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
