package cbor_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// TrainJob is the Go struct of the custom resource.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Workers int64   `json:"workers"`
		Queue   string  `json:"queue"`
		Ratio   float64 `json:"ratio"`
	} `json:"spec"`
}

var (
	crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	jobs = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "trainjobs"}
)

// TestCustomResources follows a custom resource on a server with CBOR, and on one
// without. The informer starts before its type is defined, accepts the encoding that the
// server chooses, and reports the same events in both cases.
func TestCustomResources(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags []string
		want  wire.Encoding
	}{
		{"with CBOR", []string{"--feature-gates=CBORServingAndStorage=true"}, wire.CBOR},
		{"without", nil, wire.JSON},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.flags != nil {
				controlplane.Needs(t, "1.32", "CBOR")
			}
			follow(t, c.flags, c.want)
		})
	}
}

func follow(t *testing.T, flags []string, want wire.Encoding) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, APIServer: flags})
	client, err := dynamic.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	cfg := informer.Config{Missing: informer.WaitIfMissing}
	cfg.Reflector.SlowRetry = time.Second
	typed := must(informer.Watch[TrainJob](cluster, cfg))
	cfg.Resource = "trainjobs.example.com"
	untyped := must(informer.Watch[unstructured.Unstructured](cluster, cfg))
	byQueue, err := informer.IndexField(typed, "spec.queue")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	for _, run := range []func(context.Context) error{typed.Run, untyped.Run} {
		work.Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := client.Resource(crds).Create(ctx, definition(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	<-typed.Synced()
	<-untyped.Synced()
	last := change(t, client)
	for _, wait := range []func(context.Context, wire.Version) error{typed.WaitFor, untyped.WaitFor} {
		if err := wait(ctx, last); err != nil {
			t.Fatal(err)
		}
	}
	s := typed.Snapshot()
	gpu, gpuErr := byQueue.Len(s, "gpu")
	cpu, cpuErr := byQueue.Len(s, "cpu")
	if n := s.Records().Len(); n != 9 || gpu != 4 || cpu != 5 || gpuErr != nil || cpuErr != nil {
		t.Errorf("%d jobs, %d and %d in the queues, errors %v and %v", n, gpu, cpu, gpuErr, cpuErr)
	}
	for e := range s.Records().All() {
		if got := e.Record(); got.Encoding != want {
			t.Errorf("%v came in %v, want %v", got.Key, got.Encoding, want)
		}
	}
	got, ok, err := s.Get(wire.Key{Namespace: "default", Name: "job-1"})
	if err != nil || !ok || got.Spec.Workers != 11 || got.Spec.Queue != "gpu" || got.Spec.Ratio != 0.5 || got.ManagedFields != nil || got.Name != "job-1" {
		t.Errorf("%+v, %v", got, err)
	}
	same, ok, err := untyped.Snapshot().Get(wire.Key{Namespace: "default", Name: "job-1"})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if workers, _, err := unstructured.NestedInt64(same.Object, "spec", "workers"); err != nil || workers != 11 || same.GetKind() != "TrainJob" {
		t.Errorf("%v, %v", same.Object, err)
	}
}

// change creates, updates and deletes jobs, and returns the last version.
func change(t *testing.T, client dynamic.Interface) wire.Version {
	t.Helper()
	ns := client.Resource(jobs).Namespace("default")
	for i := range 10 {
		job := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "TrainJob", "metadata": map[string]any{"name": fmt.Sprint("job-", i)},
			"spec": map[string]any{"workers": int64(i), "queue": []string{"cpu", "gpu"}[i%2], "ratio": 0.5},
		}}
		created, err := ns.Create(t.Context(), job, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := unstructured.SetNestedField(created.Object, int64(10+i), "spec", "workers"); err != nil {
			t.Fatal(err)
		}
		if _, err := ns.Update(t.Context(), created, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ns.Delete(t.Context(), "job-9", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	touched, err := ns.Get(t.Context(), "job-0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	touched.SetLabels(map[string]string{"touched": "yes"})
	if touched, err = ns.Update(t.Context(), touched, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	v, err := wire.ParseVersion(touched.GetResourceVersion())
	if err != nil {
		t.Fatal(err)
	}
	return v
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
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": open}}},
			}},
		},
	}}
}

// must returns a value, and panics if its configuration was illegal.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}
