// This program is a controller: an informer puts keys of pods into a rate-limited
// queue, and three workers take them out. It says when a pod gets a node.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"sync"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vedette-io/vedette/compat/clientgo/informers"
	"github.com/vedette-io/vedette/compat/clientgo/tools/cache"
	"github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
)

// PodController is what the workers share.
type PodController struct {
	pods  corev1listers.PodLister
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName]
	until string

	mu   sync.Mutex
	said map[string]string // the last line about each pod
}

func main() {
	namespace := flag.String("namespace", "default", "watch pods in this namespace")
	until := flag.String("until", "", "end when the pod with this name is gone")
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
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace(*namespace))
	if err := run(ctx, factory, *until); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, factory informers.SharedInformerFactory, until string) error {
	c := &PodController{
		pods: factory.Core().V1().Pods().Lister(),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "pods"}),
		until: until,
		said:  map[string]string{},
	}
	informer := factory.Core().V1().Pods().Informer()
	enqueue := func(obj any) {
		if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
			c.queue.Add(name)
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, DeleteFunc: enqueue,
		UpdateFunc: func(_, obj any) { enqueue(obj) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the pods could not be listed")
	}
	fmt.Println("watching")
	stopped := context.AfterFunc(ctx, c.queue.ShutDown)
	defer stopped()
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(c.work)
	}
	workers.Wait()
	return nil
}

// work handles one key after the other. No other worker has it meanwhile.
func (c *PodController) work() {
	for {
		name, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		if err := c.sync(name); err != nil {
			c.queue.AddRateLimited(name)
		} else {
			c.queue.Forget(name)
		}
		c.queue.Done(name)
	}
}

// sync looks at one pod as it is now.
func (c *PodController) sync(name cache.ObjectName) error {
	pod, err := c.pods.Pods(name.Namespace).Get(name.Name)
	switch {
	case apierrors.IsNotFound(err):
		c.say(name.Name, "is gone")
		if name.Name == c.until {
			c.queue.ShutDown()
		}
		return nil
	case err != nil:
		return err
	case pod.Spec.NodeName == "":
		c.say(name.Name, "has no node; trying again")
		return errors.New("no node yet")
	}
	c.say(name.Name, "runs on "+pod.Spec.NodeName)
	return nil
}

// say prints what is new about a pod.
func (c *PodController) say(pod, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said[pod] != what {
		c.said[pod] = what
		fmt.Println(pod, what)
	}
}
