// This program says what happens to ConfigMaps: a factory of informers, and a handler
// for additions, updates and deletions.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func main() {
	namespace := flag.String("namespace", "default", "watch ConfigMaps in this namespace")
	until := flag.String("until", "", "end when the ConfigMap with this name is deleted")
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
	configMaps := factory.Core().V1().ConfigMaps()
	lister := configMaps.Lister().ConfigMaps(namespace)
	handled, err := configMaps.Informer().AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, isInInitialList bool) {
			if cm, ok := obj.(*corev1.ConfigMap); ok && !isInInitialList {
				fmt.Printf("%s was added: %v\n", cm.Name, cm.Data)
			}
		},
		UpdateFunc: func(before, after any) {
			old, ok1 := before.(*corev1.ConfigMap)
			cm, ok2 := after.(*corev1.ConfigMap)
			if ok1 && ok2 {
				fmt.Printf("%s was updated: %v, then %v\n", cm.Name, old.Data, cm.Data)
			}
		},
		DeleteFunc: func(obj any) {
			name, err := cache.DeletionHandlingObjectToName(obj)
			if err != nil {
				log.Print(err)
				return
			}
			fmt.Printf("%s was deleted\n", name.Name)
			if name.Name == until {
				stop()
			}
		},
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), handled.HasSynced) {
		return ctx.Err()
	}
	there, err := lister.List(labels.Everything())
	if err != nil {
		return err
	}
	fmt.Printf("watching, with %d there already\n", len(there))
	<-ctx.Done()
	return nil
}
