// This program watches objects of any resource with a dynamic informer: it knows them
// as maps, and needs no Go types.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vedette-io/vedette/compat/clientgo/dynamic/dynamicinformer"
	"github.com/vedette-io/vedette/compat/clientgo/tools/cache"
)

func main() {
	namespace := flag.String("namespace", "default", "watch objects in this namespace")
	resource := flag.String("resource", "deployments.v1.apps", "watch this resource: name.version.group")
	until := flag.String("until", "", "end when the object with this name is deleted")
	flag.Parse()
	gvr, _ := schema.ParseResourceArg(*resource)
	if gvr == nil {
		log.Fatalf("%s is not of the form name.version.group", *resource)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, stop, *gvr, *namespace, *until); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, stop func(), gvr schema.GroupVersionResource, namespace, until string) error {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	informer := factory.ForResource(gvr).Informer()
	handled, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { say("added", obj) },
		UpdateFunc: func(_, obj any) { say("updated", obj) },
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			say("deleted", obj)
			if u, ok := obj.(*unstructured.Unstructured); ok && u.GetName() == until {
				stop()
			}
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), handled.HasSynced) {
		return ctx.Err()
	}
	fmt.Println("watching")
	<-ctx.Done()
	return nil
}

// say prints what happened to an object, and one of its fields.
func say(what string, obj any) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return
	}
	replicas, found, err := unstructured.NestedInt64(u.Object, "spec", "replicas")
	if err != nil || !found {
		fmt.Printf("%s %s was %s\n", u.GetKind(), u.GetName(), what)
		return
	}
	fmt.Printf("%s %s was %s: replicas=%d\n", u.GetKind(), u.GetName(), what, replicas)
}
