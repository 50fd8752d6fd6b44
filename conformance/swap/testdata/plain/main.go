// Command plain is a typical controller with client-go. It gives each ConfigMap with the
// label "count" an annotation with the number of its keys.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	client kubernetes.Interface
	lister corelisters.ConfigMapLister
	queue  workqueue.TypedRateLimitingInterface[string]
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path")
	namespace := flag.String("namespace", "default", "namespace")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	cfg, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		log.Fatal(err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 10*time.Hour,
		informers.WithNamespace(*namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = "count" }))
	maps := factory.Core().V1().ConfigMaps()
	c := &controller{client, maps.Lister(), workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
	enqueue := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			c.queue.Add(key)
		}
	}
	if _, err := maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue,
	}); err != nil {
		log.Fatal(err)
	}
	// An informer with one handler, as in older programs.
	_, secrets := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "secrets", *namespace, fields.Everything()),
		ObjectType:    &corev1.Secret{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { fmt.Println("secret", obj.(*corev1.Secret).Name) },
		},
	})
	go secrets.RunWithContext(ctx)
	factory.StartWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), maps.Informer().HasSynced, secrets.HasSynced)
	fmt.Println("synced")
	go func() {
		for c.next(ctx) {
		}
	}()
	<-ctx.Done()
	c.queue.ShutDown()
	factory.Shutdown()
}

func (c *controller) next(ctx context.Context) bool {
	key, end := c.queue.Get()
	if end {
		return false
	}
	defer c.queue.Done(key)
	if err := c.reconcile(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

func (c *controller) reconcile(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	obj, err := c.lister.ConfigMaps(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		fmt.Println("gone", name)
		return nil
	}
	want := strconv.Itoa(len(obj.Data))
	if obj.Annotations["keys"] == want {
		return nil
	}
	obj = obj.DeepCopy()
	metav1.SetMetaDataAnnotation(&obj.ObjectMeta, "keys", want)
	if _, err = c.client.CoreV1().ConfigMaps(namespace).Update(ctx, obj, metav1.UpdateOptions{}); err != nil {
		return err
	}
	fmt.Println("counted", name, want)
	return nil
}
