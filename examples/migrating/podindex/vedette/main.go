// This program watches pods with an index by node. When a pod is deleted, it says
// which pods the node still has.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"slices"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vedette-io/vedette/compat/clientgo/informers"
	"github.com/vedette-io/vedette/compat/clientgo/tools/cache"
)

func main() {
	namespace := flag.String("namespace", "default", "watch pods in this namespace")
	until := flag.String("until", "", "end when the pod with this name is deleted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, stop, *namespace, *until); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, stop func(), namespace, until string) error {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace(namespace))
	pods := factory.Core().V1().Pods().Informer()
	if err := pods.AddIndexers(cache.Indexers{"byNode": byNode}); err != nil {
		return err
	}
	_, err = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		// If the watch was interrupted, only the last known state is left.
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return
		}
		fmt.Printf("%s is gone; %s still has %v\n", pod.Name, pod.Spec.NodeName, names(pods.GetIndexer(), pod.Spec.NodeName))
		if pod.Name == until {
			stop()
		}
	}})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
		return ctx.Err()
	}
	nodes := pods.GetIndexer().ListIndexFuncValues("byNode")
	slices.Sort(nodes)
	for _, node := range nodes {
		fmt.Printf("%s has %v\n", node, names(pods.GetIndexer(), node))
	}
	fmt.Println("watching")
	<-ctx.Done()
	return nil
}

// byNode indexes pods by the node they run on.
func byNode(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok || pod.Spec.NodeName == "" {
		return nil, nil
	}
	return []string{pod.Spec.NodeName}, nil
}

// names returns the names of the pods on a node, sorted.
func names(pods cache.Indexer, node string) []string {
	objects, err := pods.ByIndex("byNode", node)
	if err != nil {
		log.Print(err)
	}
	all := []string{}
	for _, obj := range objects {
		if pod, ok := obj.(*corev1.Pod); ok {
			all = append(all, pod.Name)
		}
	}
	slices.Sort(all)
	return all
}
