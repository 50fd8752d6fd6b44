package job_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/job"
)

// custom is the Go type of a custom resource.
type custom struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// withSpec is a type whose spec embeds a struct and has composite fields.
type withSpec struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Inlined `json:",inline"`
		Parts   []Inlined `json:"parts"`
	} `json:"spec"`
}

// Inlined is embedded.
type Inlined struct {
	Active *bool `json:"active"`
}

// TestOfEmbedded: a field of an embedded struct counts as one of the spec, and the object does
// not change.
func TestOfEmbedded(t *testing.T) {
	w := &withSpec{TypeMeta: metav1.TypeMeta{APIVersion: "kueue.x-k8s.io/v1beta1", Kind: "Workload"}}
	w.Spec.Active, w.Spec.Parts = ptr.To(false), []Inlined{{}}
	if got := job.ReadStatus(w); got.State != job.Suspended && got.State != job.Aborted {
		t.Errorf("got %+v, want the status of a workload that is not active", got)
	}
	if len(w.Spec.Parts) != 1 {
		t.Error("ReadStatus has changed the object")
	}
}

// withPolicy is a type with a nested policy, as Kubeflow's jobs have it.
type withPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		RunPolicy struct {
			Suspend *bool `json:"suspend"`
		} `json:"runPolicy"`
	} `json:"spec"`
}

// TestOfPolicy: the policy of a struct counts.
func TestOfPolicy(t *testing.T) {
	w := &withPolicy{TypeMeta: metav1.TypeMeta{APIVersion: "kubeflow.org/v1", Kind: "PyTorchJob"}}
	w.Spec.RunPolicy.Suspend = ptr.To(true)
	if got := job.ReadStatus(w); got.State != job.Suspended {
		t.Errorf("got %+v, want Suspended", got)
	}
}

// TestOfStruct: a struct has the same status as its fields in a map, with and without its
// kind.
func TestOfStruct(t *testing.T) {
	now := metav1.Now().Rfc3339Copy()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", CreationTimestamp: now}}
	pod.Status.Phase = corev1.PodFailed
	// The cause depends on the order of the containers in the spec.
	pod.Spec.Containers = []corev1.Container{{Name: "main", Image: "x"}, {Name: "a-side", Image: "x"}}
	for _, name := range []string{"a-side", "main"} {
		code := int32(len(name))
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", FinishedAt: now}},
		})
	}
	j := &batchv1.Job{Status: batchv1.JobStatus{StartTime: &now, Active: 1, Ready: ptr.To(int32(1))}}
	node := &corev1.Node{Status: corev1.NodeStatus{Phase: corev1.NodePending, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	deployment := &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}}}}
	own := &custom{}
	own.Status.Phase = "Running"
	for _, c := range []struct {
		name             string
		object           any
		apiVersion, kind string
		want             string
	}{
		{"pod", pod, "v1", "Pod", "Failed"},
		{"job", j, "batch/v1", "Job", "Running"},
		{"node", node, "v1", "Node", "Ready"},
		{"deployment", deployment, "apps/v1", "Deployment", "Starting"},
		{"custom resource", own, "example.com/v1", "Thing", "Running"},
	} {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(c.object)
		if err != nil {
			t.Fatal(err)
		}
		fields["apiVersion"], fields["kind"] = c.apiVersion, c.kind
		want := job.ReadStatus(fields)
		if want.String() != c.want {
			t.Errorf("%s in a map: got %+v, want %q", c.name, want, c.want)
		}
		for form, object := range map[string]any{"struct": c.object, "unstructured": &unstructured.Unstructured{Object: fields}} {
			if got := job.ReadStatus(object); got != want {
				t.Errorf("%s as %s: got %+v, want %+v", c.name, form, got, want)
			}
		}
	}
	if pod.Kind != "" {
		t.Errorf("ReadStatus has set the kind of the pod to %q", pod.Kind)
	}
}

// TestOfNoObject: other values have no status, and cause no panic.
func TestOfNoObject(t *testing.T) {
	for _, v := range []any{
		nil, map[string]any(nil), (*corev1.Pod)(nil), (*unstructured.Unstructured)(nil), &unstructured.Unstructured{},
		corev1.Pod{},
		"Pod", 7,
		new(int), func() {}, make(chan int), &struct{ C chan int }{},
	} {
		if got := job.ReadStatus(v); got != (job.Status{}) {
			t.Errorf("%T: got %+v, want no status", v, got)
		}
	}
}
