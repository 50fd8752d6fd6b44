package stage

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// MakePod creates a pod that no scheduler places.
func (s *Stage) MakePod(t *testing.T, name string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "train"}}},
	}
	if _, err := s.Load.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// DeletePod deletes a pod at once.
func (s *Stage) DeletePod(t *testing.T, name string) {
	t.Helper()
	if err := s.Load.Client.CoreV1().Pods("default").Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
		t.Fatal(err)
	}
}

// Change creates, changes and deletes pods.
func (s *Stage) Change(t *testing.T, with string) {
	t.Helper()
	pods := s.Load.Client.CoreV1().Pods("default")
	s.MakePod(t, "begins-"+with)
	s.MakePod(t, "is-short-"+with)
	for i, phase := range []string{"Running", "Failed", "Succeeded"} {
		text := fmt.Appendf(nil, `{"status":{"phase":"%s","message":"%s %d"}}`, phase, with, i)
		if _, err := pods.Patch(t.Context(), "changes", types.MergePatchType, text, metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
	}
	s.DeletePod(t, "is-short-"+with)
}

// Forget makes the server compact its history.
func (s *Stage) Forget(t *testing.T) {
	t.Helper()
	if err := s.Plane.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.RestartAPIServer(t)
}
