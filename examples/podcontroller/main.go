// Command podcontroller is a controller in the classic shape: an informer with an
// index, keys in a queue with a rate limit, three workers, retry and forget. Package
// controller does all of this; here it is by hand, for who moves such a program or
// wants another queue.
//
// What differs from client-go, where it has about 72 lines:
//   - The index is a typed value: a wrong name, or the index of another type, does
//     not compile.
//   - A key is a struct: no error and no text to split. A deletion brings it like
//     any change: no tombstones.
//   - An object that is read is decoded for the caller, who may change it: no
//     DeepCopy, and no way to spoil the cache.
//   - One snapshot shows the object and the index at the same instant.
//   - Retry counts, Forget resets, and the queue keeps nothing of a key that it does
//     not hold.
//   - A handler is told the latest state by default: one that hangs costs no memory.
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

// podController is what the workers share.
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
		queue:  workqueue.New(workqueue.Config[wire.Key]{}), // with the limits that controllers have
	}
	// Whatever happens to a pod, its key waits to be dealt with: once, however often
	// the pod changes meanwhile.
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
	case <-reg.Synced(): // all keys of the first list wait
	case err := <-ended:
		return err
	}
	for range workers {
		work.Go(func() { c.work(ctx) })
	}
	work.Wait()
	return <-ended
}

// work deals with one key after the other. No other worker has it meanwhile.
func (c *podController) work(ctx context.Context) {
	for {
		item, err := c.queue.Get(ctx)
		if err != nil {
			return // we are to stop
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

// reconcile looks at one pod as it is now.
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
	log.Printf("%s is one of %d pods on %s", key, c.byNode.Len(s, pod.Spec.NodeName), pod.Spec.NodeName)
	return nil
}
