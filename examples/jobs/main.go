// Command jobs follows jobs in two ways at once.
//
// "latest" folds: a key waits once, and its worker reads the current state. Use it to
// bring the world into a desired state: intermediate states may be skipped. It needs memory only for keys, and catches up at once after a pause.
// Controllers work this way.
//
// "every" keeps all: each state that the server reported is an item of its own, in
// order for each job, one at a time, and a retry keeps its place. Use it to record,
// bill, or notify, where a job that failed and was retried must not look like a job
// that simply ran. The queue is bounded: a slow consumer slows down the informer and
// then the server's watch, and misses only what the server itself forgets. After a
// restart the last state of each job is reported again; its revision has the same ID as
// before, so a consumer that has handled it can recognize it.
//
// With client-go a handler is also called for every event, but pending events are kept
// without a bound (its source says so: "until we OOM"), and its queues only fold. A
// queue of states in order per object, and its behavior when full, must be written by
// hand.
package main

import (
	"context"
	"errors"
	"log"
	"os/signal"
	"sync"
	"syscall"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

const recorders = 4

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cluster, err := kube.Connect(kube.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	jobs, err := informer.Watch[batchv1.Job](cluster, informer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() { every(ctx, jobs) })
	err = controller.Reconcile(ctx, jobs, latest(jobs))
	stop()
	work.Wait()
	if err != nil {
		log.Fatal(err)
	}
}

// latest handles the current state of a job.
func latest(jobs *informer.Informer[batchv1.Job]) controller.Func {
	return func(_ context.Context, v informer.View, r controller.Request) error {
		job, ok, err := jobs.In(v).Get(r.Key)
		switch {
		case err != nil:
			return err
		case !ok:
			log.Printf("latest: %s is gone", r.Key)
		default:
			log.Printf("latest: %s is %s", r.Key, state(job))
		}
		return nil
	}
}

// every handles each state of each job.
func every(ctx context.Context, jobs *informer.Informer[batchv1.Job]) {
	queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[batchv1.Job]{Limit: 1000})
	var work sync.WaitGroup
	for range recorders {
		work.Go(func() {
			for {
				item, err := queue.Get(ctx)
				if err != nil {
					return
				}
				if err := record(item.Item); err != nil {
					_, _ = queue.Retry(ctx, item.Item) // later states of the job wait for it
				}
				_ = queue.Done(item.Item)
			}
		})
	}
	if err := controller.Revisions(ctx, jobs, queue, controller.RevisionsConfig[batchv1.Job]{}); err != nil && !errors.Is(err, context.Canceled) {
		log.Print(err)
	}
	work.Wait()
}

// record stands for a row in a database. ID is its key, so a state that is reported
// again after a restart is not written twice.
func record(r controller.Revision[batchv1.Job]) error {
	ev := r.Event()
	job, err := ev.Object()
	if err != nil {
		return err
	}
	log.Printf("every: %s %v, %s (%s)", r.Key, r.Kind, state(job), r.ID())
	return nil
}

func state(job *batchv1.Job) string {
	switch {
	case job.Status.Failed > 0:
		return "failed"
	case job.Status.Succeeded > 0:
		return "succeeded"
	case job.Status.Active > 0:
		return "running"
	}
	return "waiting"
}
