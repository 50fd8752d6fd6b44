// Command nodes watches pods, indexes them by node, and reacts to every change,
// with retry. The program is complete: `go run ./examples/nodes`.
//
// The same takes 72 lines with client-go 1.37 and 40 with controller-runtime 0.25,
// and more concepts: a factory, an indexer that returns errors, three handler
// functions, tombstones, a rate limiter, Get, Done, Forget and AddRateLimited, two
// kinds of synced; or a manager, a scheme, a builder, a field indexer and a split client.
// Here it is Watch, IndexBy, View, Reconcile and Request.
package main

import (
	"context"
	"log"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

func main() {
	cluster, err := kube.Connect(kube.Config{})
	check(err)
	pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
	check(err)
	byNode := informer.IndexBy(pods, func(p *corev1.Pod) string { return p.Spec.NodeName })
	check(controller.Reconcile(context.Background(), pods, func(_ context.Context, v informer.View, r controller.Request) error {
		log.Printf("%s has changed; pods on node-1: %d", r.Key, byNode.Len(pods.In(v), "node-1"))
		return nil // an error would be retried with backoff
	}))
}

// check exits the program with an error. Reconcile returns nil once its context is
// done.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
