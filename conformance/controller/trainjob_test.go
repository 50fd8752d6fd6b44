package controller_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	cleanup := goleak.Cleanup(func(code int) {
		gobuild.Clean()
		os.Exit(code)
	})
	goleak.VerifyTestMain(m, controlplane.IgnoreSpawner(), cleanup)
}

// TrainJob is the custom resource that examples/trainjob controls.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              TrainSpec   `json:"spec"`
	Status            TrainStatus `json:"status,omitzero"`
}

// TrainSpec is the desired state.
type TrainSpec struct {
	Workers int `json:"workers"`
}

// TrainStatus is the state that the controller reports.
type TrainStatus struct {
	Workers            int    `json:"workers"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	HandledBy          string `json:"handledBy,omitempty"`
	Token              uint64 `json:"token,omitempty"`
}

// world is a control plane with the TrainJob type and without controllers.
type world struct {
	t     *testing.T
	plane *controlplane.Cluster
	jobs  *kube.Client[TrainJob]
	pods  *kube.Client[corev1.Pod]

	deleted atomic.Int64 // jobs
}

func newWorld(t *testing.T) *world {
	gobuild.Once(t, "./examples/trainjob") // slow the first time
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	definitions, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: "customresourcedefinitions"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := definitions.Create(t.Context(), definition()); err != nil {
		t.Fatal(err)
	}
	for ev, err := range definitions.Watch(t.Context(), kube.Where{FieldSelector: "metadata.name=trainjobs.example.com"}, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprint(ev.Object.Object["status"]), "reason:InitialNamesAccepted status:True type:Established") {
			break
		}
	}
	crds.Served(t, cluster, "trainjobs.example.com")
	w := &world{t: t, plane: c}
	if w.jobs, err = kube.For[TrainJob](cluster, kube.ClientConfig{Resource: "trainjobs.example.com"}); err != nil {
		t.Fatal(err)
	}
	if w.pods, err = kube.For[corev1.Pod](cluster, kube.ClientConfig{}); err != nil {
		t.Fatal(err)
	}
	return w
}

func definition() *unstructured.Unstructured {
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "trainjobs.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "trainjobs", "singular": "trainjob", "kind": "TrainJob", "listKind": "TrainJobList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema":       map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": open, "status": open}}},
				"subresources": map[string]any{"status": map[string]any{}},
			}},
		},
	}}
}

func key(name string) wire.Key { return wire.Key{Namespace: "default", Name: name} }

// set creates a job or changes its number of workers.
func (w *world) set(ctx context.Context, name string, workers int) error {
	_, err := w.jobs.Mutate(ctx, key(name), func(j *TrainJob) error {
		j.Spec.Workers = workers
		return nil
	})
	if apierrors.IsNotFound(err) {
		_, err = w.jobs.Create(ctx, &TrainJob{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: TrainSpec{Workers: workers}})
	}
	return err
}

// problem describes the first difference between pods and jobs; "" if there is none.
func (w *world) problem(ctx context.Context) string {
	jobs, err := kube.Collect(w.jobs.List(ctx, kube.Where{}))
	pods, err2 := kube.Collect(w.pods.List(ctx, kube.Where{Namespace: "default"}))
	if err := errors.Join(err, err2); err != nil {
		return err.Error()
	}
	want := map[string]string{}
	for _, j := range jobs {
		switch {
		case j.DeletionTimestamp != nil:
			return fmt.Sprintf("%s is still being deleted", j.Name)
		case j.Status.Workers != j.Spec.Workers || j.Status.ObservedGeneration != j.Generation:
			return fmt.Sprintf("%s wants %d at generation %d, its status is %+v", j.Name, j.Spec.Workers, j.Generation, j.Status)
		}
		for i := range j.Spec.Workers {
			want[fmt.Sprintf("%s-%d", j.Name, i)] = string(j.UID)
		}
	}
	for _, p := range pods {
		owner, ok := kube.ControllerOf(p)
		switch uid, wanted := want[p.Name]; {
		case !wanted:
			return p.Name + " has no job"
		case !ok || string(owner.UID) != uid:
			return fmt.Sprintf("%s belongs to %v, want %s", p.Name, owner, uid)
		}
		delete(want, p.Name)
	}
	for name := range want {
		return name + " is missing"
	}
	return ""
}
