// Command podcontroller is a controller in the classic form: an informer with an
// index, keys in a queue with a rate limit, three workers, retry and forget. Package
// controller does all of this. This example does it by hand, for users who port such a
// program or need another queue.
//
// The differences from client-go, where the program has about 72 lines:
//   - The index is a typed value: a wrong name, or the index of another type, does
//     not compile.
//   - A key is a struct, so there is no text to split and no error. A deletion has a key
//     like any change: there are no tombstones.
//   - An object is decoded for each caller, who may change it: no DeepCopy is needed, and
//     the cache cannot be corrupted.
//   - One snapshot shows the object and the index at the same instant.
//   - Retry counts, Forget resets, and the queue keeps nothing of a key that it does
//     not hold.
//   - A handler gets the latest state by default: a handler that hangs costs no memory.
package main

import (
	"context"
	"fmt"
	"log"
	"os/signal"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

const workers = 3

// podController is the state that the workers share.
type podController struct {
	pods   *informer.Informer[corev1.Pod]
	byNode *informer.Index[corev1.Pod]
	queue  *workqueue.Queue[wire.Key]
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cluster, err := kube.Connect(kube.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	if err := run(ctx, cluster); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, cluster *kube.Cluster) error {
	pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
	if err != nil {
		return err
	}
	c := &podController{
		pods:   pods,
		byNode: informer.IndexBy(pods, func(p *corev1.Pod) string { return p.Spec.NodeName }),
		queue:  workqueue.New(workqueue.Config[wire.Key]{}), // with the limiter of most controllers
	}
	// Each change of a pod enqueues its key. The key waits once, however often the pod
	// changes in the meantime.
	handler := informer.Handler[corev1.Pod]{OnEvent: func(ctx context.Context, ev informer.Event[corev1.Pod]) error {
		return c.queue.Add(ctx, ev.Key())
	}}
	reg, err := pods.Handle(handler, informer.HandlerConfig{})
	if err != nil {
		return err
	}
	var work sync.WaitGroup
	ended := make(chan error, 1)
	work.Go(func() { ended <- pods.Run(ctx) })
	select {
	case <-reg.Synced(): // all keys of the first list are in the queue
	case err := <-ended:
		return err
	}
	for range workers {
		work.Go(func() { c.work(ctx) })
	}
	work.Wait()
	return <-ended
}

// work handles keys, one after the other. No other worker has the same key at that time.
func (c *podController) work(ctx context.Context) {
	for {
		item, err := c.queue.Get(ctx)
		if err != nil {
			return // ctx is done
		}
		key := item.Item
		if err := c.reconcile(key); err != nil {
			delay, _ := c.queue.Retry(ctx, key)
			log.Printf("%s: %v; again in %v", key, err, delay)
		} else {
			c.queue.Forget(key)
		}
		if err := c.queue.Done(key); err != nil {
			log.Print(err)
		}
	}
}

// reconcile handles the current state of a pod.
func (c *podController) reconcile(key wire.Key) error {
	s := c.pods.Snapshot()
	pod, ok, err := s.Get(key)
	switch {
	case err != nil:
		return err
	case !ok:
		log.Printf("%s is gone", key)
		return nil
	case pod.Spec.NodeName == "":
		return fmt.Errorf("it has no node yet")
	}
	n, err := c.byNode.Len(s, pod.Spec.NodeName)
	log.Printf("%s is one of %d pods on %s", key, n, pod.Spec.NodeName)
	return err
}
