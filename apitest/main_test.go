package apitest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	_ "github.com/vedette-io/vedette/internal/stocktime" // stock informers run in bubbles
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// trainingJob is the custom resource of the tests.
var trainingJob = apitest.Type{
	Group: "batch.example.com", Version: "v1", Kind: "TrainingJob", ShortNames: []string{"tj"},
	Namespaced: true, Status: true, SelectableFields: []string{"spec.queue"},
}

// start returns a server that ends with the test.
func start(t *testing.T, cfg apitest.Config) *apitest.Server {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv
}

// protobuf makes a client prefer protobuf.
func protobuf(cfg *rest.Config) *rest.Config {
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return cfg
}

func clientset(t *testing.T, cfg *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": "a"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
	}
}

func job(name, queue string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch.example.com/v1", "kind": "TrainingJob",
		"metadata": map[string]any{"namespace": "default", "name": name},
		"spec":     map[string]any{"queue": queue, "replicas": int64(2)},
	}}
}

// create creates objects in the server, or fails the test.
func create(t *testing.T, srv *apitest.Server, objects ...apitest.Object) (last apitest.Object) {
	t.Helper()
	for _, obj := range objects {
		created, err := srv.Create(obj)
		if err != nil {
			t.Fatalf("create %s: %v", obj.GetName(), err)
		}
		last = created
	}
	return last
}

func background(t *testing.T) context.Context {
	t.Helper()
	return t.Context()
}

// namesOf returns the sorted names of objects.
func namesOf[T metav1.Object](objects []T) []string {
	names := []string{}
	for _, obj := range objects {
		names = append(names, obj.GetName())
	}
	slices.Sort(names)
	return names
}

// shortKeys returns the sorted names in an informer's store.
func shortKeys(informer cache.SharedIndexInformer) []string {
	names := []string{}
	for _, key := range informer.GetStore().ListKeys() {
		_, name, _ := strings.Cut(key, "/")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
