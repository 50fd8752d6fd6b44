package cache_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	stock "k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo/tools/cache"
)

// An informer with an index and a handler, as with client-go.
func ExampleNewSharedIndexInformer() {
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	if _, err := server.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train"}}); err != nil {
		fmt.Println(err)
		return
	}
	client, err := kubernetes.NewForConfig(server.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	pods := cache.NewSharedIndexInformer(
		stock.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "ml", fields.Everything()), &corev1.Pod{}, 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
	)
	ctx, stop := context.WithCancel(context.Background())
	_, err = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		fmt.Println("added", obj.(*corev1.Pod).Name)
		stop()
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	pods.Run(ctx.Done())
	// Output: added train
}
