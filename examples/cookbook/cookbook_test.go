// Package cookbook has the recipes of docs/cookbook.md. Each is a function, and an Example
// runs it against an API server in the process.
package cookbook

import (
	"context"
	"fmt"
	"log/slog"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
)

// kitchen is a server for one recipe.
type kitchen struct {
	ctx     context.Context
	server  *apitest.Server
	cluster *kube.Cluster
}

// cook runs a recipe against a server with some objects, and prints its error.
func cook(recipe func(kitchen) error, objects ...apitest.Object) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, err := apitest.New(apitest.Config{SystemNamespaces: true, Types: []apitest.Type{
		{Group: "example.com", Version: "v1", Kind: "TrainJob", Resource: "trainjobs", Namespaced: true, Status: true},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	for _, obj := range objects {
		if _, err := server.Create(obj); err != nil {
			fmt.Println(err)
			return
		}
	}
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	if err := recipe(kitchen{ctx, server, cluster}); err != nil {
		fmt.Println("error:", err)
	}
}

// with runs a recipe that needs a cluster.
func with(recipe func(context.Context, *kube.Cluster) error, objects ...apitest.Object) {
	cook(func(k kitchen) error { return recipe(k.ctx, k.cluster) }, objects...)
}

// kubeOf returns the configuration of a connection to the server.
func kubeOf(k kitchen) kube.Config { return kube.Config{REST: k.server.RESTConfig()} }

// pod returns a running pod with a label "app", on a node.
func pod(name, app, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "main", Image: app}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

// job returns a Job.
func newJob(name string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}
}

// TrainJob is a custom type, written by hand: no generated code is needed.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   TrainJobSpec   `json:"spec"`
	Status TrainJobStatus `json:"status"`
}

// TrainJobSpec is the desired state.
type TrainJobSpec struct {
	Replicas int `json:"replicas"`
}

// TrainJobStatus is the observed state.
type TrainJobStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// GroupVersion is the group and version of TrainJob.
var GroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}
