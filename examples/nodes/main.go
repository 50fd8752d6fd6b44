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
	cluster := must(kube.Connect(kube.Config{}))
	pods := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	byNode := informer.IndexBy(pods, func(p *corev1.Pod) string { return p.Spec.NodeName })
	log.Fatal(controller.Reconcile(context.Background(), pods, func(_ context.Context, v informer.View, r controller.Request) error {
		n, err := byNode.Len(pods.In(v), "node-1")
		log.Printf("%s has changed; pods on node-1: %d", r.Key, n)
		return err // an error is retried with backoff
	}))
}

// must returns a value, or exits the program with an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
