package clients_test

import (
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/kube"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// TrainJob is the Go struct of the custom resource.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              TrainSpec   `json:"spec"`
	Status            TrainStatus `json:"status,omitzero"`
}

// TrainSpec is the desired state.
type TrainSpec struct {
	Workers int64 `json:"workers"`
}

// TrainStatus is the observed state.
type TrainStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name}
}

func template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "pause"}},
	}}
}

// must returns a value, or fails the test.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func client[T any, P kube.Object[T]](t *testing.T, cluster *kube.Cluster, cfg kube.ClientConfig) *kube.Client[T] {
	t.Helper()
	return must[*kube.Client[T]](t)(kube.For[T, P](cluster, cfg))
}

// start starts a control plane with the custom resource, and connects to it.
func start(t *testing.T) (*controlplane.Cluster, *kube.Cluster) {
	t.Helper()
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	definitions := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "customresourcedefinitions"})
	must[*unstructured.Unstructured](t)(definitions.Create(t.Context(), definition()))
	for ev, err := range definitions.Watch(t.Context(), kube.Where{FieldSelector: "metadata.name=trainjobs.example.com"}, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if established(ev.Object) {
			break
		}
	}
	crds.Served(t, cluster, "trainjobs.example.com")
	return c, cluster
}

func established(crd *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == "Established" && c["status"] == "True" {
			return true
		}
	}
	return false
}

func definition() *unstructured.Unstructured {
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	spec := map[string]any{"type": "object", "properties": map[string]any{"workers": map[string]any{"type": "integer"}, "steps": map[string]any{"type": "integer"}}}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "trainjobs.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "trainjobs", "singular": "trainjob", "kind": "TrainJob", "listKind": "TrainJobList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema":       map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec, "status": open}}},
				"subresources": map[string]any{"status": map[string]any{}, "scale": map[string]any{"specReplicasPath": ".spec.workers", "statusReplicasPath": ".status.workers"}},
			}},
		},
	}}
}
