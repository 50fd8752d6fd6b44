package apitest_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/apitest"
)

// A client uses the server like a real one; the test plays the rest of the cluster.
func Example() {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	client, err := kubernetes.NewForConfig(srv.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	job := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train"}}
	if _, err = client.CoreV1().Pods("default").Create(ctx, job, metav1.CreateOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	pods, err := client.CoreV1().Pods("default").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pods.Stop()
	_, err = apitest.Modify(srv, job, func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		event := <-pods.ResultChan()
		pod := event.Object.(*corev1.Pod)
		fmt.Println(event.Type, pod.Name, pod.Status.Phase, "at version", pod.ResourceVersion)
	}
	// Output:
	// ADDED train Pending at version 2
	// MODIFIED train Running at version 3
}

// A watch is cut after two events; the request log shows the next request of the client.
func ExampleServer_Inject() {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	cut, err := srv.Inject(apitest.Fault{
		Match:  apitest.Match{Verb: apitest.VerbWatch, Resource: "configmaps"},
		After:  2,
		Action: apitest.InStreamError(apitest.Failure(410, 0)),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"a", "b", "c"} {
		obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		if _, err := srv.Create(obj); err != nil {
			fmt.Println(err)
			return
		}
	}
	client, err := kubernetes.NewForConfig(srv.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	maps, err := client.CoreV1().ConfigMaps("").Watch(context.Background(), metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for event := range maps.ResultChan() {
		fmt.Println(event.Type)
	}
	fmt.Println(cut.Hits(), "hit,", len(srv.Requests()), "request")
	// Output:
	// ADDED
	// ADDED
	// ERROR
	// 1 hit, 1 request
}

// A custom resource appears while the server runs.
func ExampleServer_Register() {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	typ := apitest.Type{Group: "batch.example.com", Version: "v1", Kind: "TrainingJob", Namespaced: true, Status: true}
	if err = srv.Register(typ); err != nil {
		fmt.Println(err)
		return
	}
	job := &unstructured.Unstructured{}
	job.SetGroupVersionKind(typ.GroupVersionKind())
	job.SetNamespace("default")
	job.SetName("resnet")
	if _, err = srv.Create(job); err != nil {
		fmt.Println(err)
		return
	}
	client, err := dynamic.NewForConfig(srv.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	typ.Resource = "trainingjobs"
	list, err := client.Resource(typ.GroupVersionResource()).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list.GetKind(), len(list.Items), list.Items[0].GetName())
	// Output: TrainingJobList 1 resnet
}
