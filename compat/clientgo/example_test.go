package clientgo_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
)

// Adopt puts the engine behind an informer of client-go that has not run yet, such as one of a
// factory that a library makes.
func ExampleAdopt() {
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
	client, err := kubernetes.NewForConfig(clientgo.Wrap(server.RESTConfig()))
	if err != nil {
		fmt.Println(err)
		return
	}
	stock := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	pods := clientgo.Adopt(stock, clientgo.Options{})
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		pods.Run(stop)
	}()
	cache.WaitForCacheSync(stop, pods.HasSynced)
	fmt.Println(pods.GetStore().ListKeys())
	close(stop)
	<-ended
	// Output: [ml/train]
}
