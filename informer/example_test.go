package informer_test

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// Follow pods: first the current objects, then every change. To use your cluster instead of
// the server of this example, connect with kube.Connect(kube.Config{}).
func Example() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train-0"},
	}
	if _, err := server.Create(pod); err != nil {
		log.Fatal(err)
	}

	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{Namespaces: []string{"ml"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- pods.Run(ctx) }()

	for ev := range pods.Events(ctx) {
		pod, err := ev.Object() // decodes the pod, which belongs to this program
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ev.Kind(), ev.Key(), pod.Status.Phase)
		if pod.Status.Phase == corev1.PodRunning {
			break
		}
		pod.APIVersion, pod.Kind = "v1", "Pod"
		pod.Status.Phase = corev1.PodRunning
		if _, err := server.UpdateStatus(pod); err != nil {
			log.Fatal(err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		log.Fatal(err)
	}
	// Output:
	// Added ml/train-0 Pending
	// Updated ml/train-0 Running
}
