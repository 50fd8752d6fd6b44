package events_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/events"
	"github.com/vedette-io/vedette/kube"
)

// Publish that a pod was started three times: one Event with a series.
func Example() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	publisher, err := events.New(events.Config{Cluster: cluster, Controller: "example.com/trainjobs"})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- publisher.Run(ctx) }()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "1"}}
	for range 3 {
		publisher.Normal(pod, "Started", "StartPod", "started on %s", "n1") // does not wait
	}
	stop()
	if err := <-ended; err != nil { // all Events were sent
		fmt.Println(err)
		return
	}
	all, err := server.List(&eventsv1.Event{}, "ml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, obj := range all {
		e := obj.(*eventsv1.Event)
		fmt.Println(e.Regarding.Name, e.Reason, e.Note)
	}
	// Output: train Started started on n1
}
