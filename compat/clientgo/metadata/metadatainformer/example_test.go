package metadatainformer_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo/metadata/metadatainformer"
)

// Follow only the metadata of a type.
func Example() {
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
	client, err := metadata.NewForConfig(server.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	factory := metadatainformer.NewSharedInformerFactory(client, 0)
	pods := factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Lister()
	ctx, stop := context.WithCancel(context.Background())
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	obj, err := pods.ByNamespace("ml").Get("train")
	if err == nil {
		fmt.Println(obj.(*metav1.PartialObjectMetadata).Name)
	}
	stop()
	factory.Shutdown()
	// Output: train
}
