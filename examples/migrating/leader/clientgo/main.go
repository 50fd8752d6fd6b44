// This program is a controller of which one replica works at a time, the one that
// holds the Lease. It labels ConfigMaps.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func main() {
	namespace := flag.String("namespace", "default", "label ConfigMaps in this namespace")
	until := flag.String("until", "", "end when the ConfigMap with this name has its label")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		log.Fatal(err)
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		log.Fatal(err)
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: *namespace, Name: "labeler"},
			Client:     clients.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: fmt.Sprintf("%s-%d", host, os.Getpid())},
		},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				fmt.Println("leading")
				if err := lead(ctx, stop, clients, *namespace, *until); err != nil {
					log.Fatal(err)
				}
			},
			OnStoppedLeading: func() { fmt.Println("no longer leading") },
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	elector.Run(ctx)
}

// lead labels ConfigMaps until the context ends.
func lead(ctx context.Context, stop func(), clients kubernetes.Interface, namespace, until string) error {
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace(namespace))
	label := func(obj any) {
		cm, ok := obj.(*corev1.ConfigMap)
		if !ok {
			return
		}
		if cm.Labels["labeled"] == "yes" {
			fmt.Println(cm.Name, "has its label")
			if cm.Name == until {
				stop()
			}
			return
		}
		patch := []byte(`{"metadata":{"labels":{"labeled":"yes"}}}`)
		if _, err := clients.CoreV1().ConfigMaps(namespace).Patch(ctx, cm.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			log.Print(err)
		}
	}
	_, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: label, UpdateFunc: func(_, obj any) { label(obj) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	factory.Shutdown()
	return nil
}
