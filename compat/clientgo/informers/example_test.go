package informers_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo/informers"
)

// The code of a program that used k8s.io/client-go/informers. Only the import is another.
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
	client, err := kubernetes.NewForConfig(server.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Lister()
	ctx, stop := context.WithCancel(context.Background())
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	pod, err := pods.Pods("ml").Get("train")
	if err == nil {
		fmt.Println(pod.Name)
	}
	stop()
	factory.Shutdown()
	// Output: train
}
