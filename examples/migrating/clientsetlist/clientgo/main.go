// This program lists pods with a Clientset, in pages, and counts them by node. Nothing
// in it informs, so nothing changes.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"os/signal"
	"slices"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	namespace := flag.String("namespace", "default", "list pods in this namespace")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *namespace); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, namespace string) error {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	options := metav1.ListOptions{Limit: 2}
	for pages := 1; ; pages++ {
		list, err := clients.CoreV1().Pods(namespace).List(ctx, options)
		if err != nil {
			return err
		}
		for _, pod := range list.Items {
			counts[pod.Spec.NodeName]++
		}
		if list.Continue == "" {
			fmt.Printf("%d pages\n", pages)
			break
		}
		options.Continue = list.Continue
	}
	for _, node := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%s has %d pods\n", node, counts[node])
	}
	return nil
}
