package controller_test

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Reconcile pods, and all pods of a node when the node changes.
func ExampleNew() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	for _, obj := range []apitest.Object{
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}, Spec: corev1.PodSpec{NodeName: "n1"}},
	} {
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

	factory := informer.NewFactory(cluster, informer.FactoryConfig{})
	pods, err := informer.For[corev1.Pod](factory, informer.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	nodes, err := informer.For[corev1.Node](factory, informer.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	byNode := informer.IndexBy(pods, func(p *corev1.Pod) string { return p.Spec.NodeName })
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c, err := controller.New(controller.Config{
		Runners: []controller.Runner{factory},
		Reconcile: func(_ context.Context, v informer.View, r controller.Request) error {
			pod, found, err := pods.In(v).Get(r.Key)
			if err == nil && found {
				fmt.Println(r.Key, "on", pod.Spec.NodeName)
				stop()
			}
			return err
		},
	}, controller.Objects(pods), controller.MappedObjects(nodes, func(n *corev1.Node) []wire.Key {
		onNode, err := byNode.Keys(pods.Snapshot(), n.Name)
		if err != nil {
			return nil // the first list of Pods enqueues all their keys
		}
		return slices.Collect(onNode)
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := c.Run(ctx); err != nil {
		fmt.Println(err)
	}
	// Output: ml/train on n1
}
