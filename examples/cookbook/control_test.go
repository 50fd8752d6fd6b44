package cookbook

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/events"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/manager"
	"github.com/vedette-io/vedette/wire"
)

func reconcile(ctx context.Context, cluster *kube.Cluster) error {
	jobs, err := informer.Watch[batchv1.Job](cluster, informer.Config{})
	if err != nil {
		return err
	}
	client, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
	if err != nil {
		return err
	}
	return controller.Reconcile(ctx, jobs, func(ctx context.Context, v informer.View, r controller.Request) error {
		job, found, err := jobs.In(v).Get(r.Key)
		if err != nil || !found || job.Labels["seen"] == "yes" {
			return err
		}
		_, err = client.Mutate(ctx, r.Key, func(j *batchv1.Job) error {
			metav1.SetMetaDataLabel(&j.ObjectMeta, "seen", "yes")
			return nil
		})
		return err // an error is retried with backoff
	})
}

// during runs a controller until the server has an object in a state.
func during[T apitest.Object](k kitchen, run func(context.Context, *kube.Cluster) error, obj T, holds func(T) bool) error {
	ctx, stop := context.WithCancel(k.ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, k.cluster) }()
	apitest.Await(printer{}, k.server, obj, func(o T) string {
		if holds(o) {
			return ""
		}
		return "it is not yet as it should be"
	})
	stop()
	return <-ended
}

// printer prints the failure of an Example.
type printer struct{}

func (printer) Helper()        {}
func (printer) Cleanup(func()) {}

func (printer) Fatalf(text string, args ...any) { fmt.Printf(text, args...) }

// untilPrinted runs a recipe until it has printed a line.
func untilPrinted(ctx context.Context, run func(context.Context) error) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	out := os.Stdout
	os.Stdout = w
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := run(ctx)
		ended <- errors.Join(err, w.Close())
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	stop()
	err = errors.Join(err, <-ended, r.Close())
	os.Stdout = out
	fmt.Print(line)
	return err
}

func Example_reconcile() {
	cook(func(k kitchen) error {
		return during(k, reconcile, newJob("train"), func(j *batchv1.Job) bool { return j.Labels["seen"] == "yes" })
	}, newJob("train"))
	// Output:
}

func ownersAndOthers(m *manager.Manager) error {
	jobs, err := informer.For[batchv1.Job](m.Factory(), informer.Config{})
	if err != nil {
		return err
	}
	pods, err := informer.For[corev1.Pod](m.Factory(), informer.Config{})
	if err != nil {
		return err
	}
	settings, err := informer.For[corev1.ConfigMap](m.Factory(), informer.Config{})
	if err != nil {
		return err
	}
	return m.AddController(controller.Config{Reconcile: func(_ context.Context, v informer.View, r controller.Request) error {
		j, jobErr := jobs.In(v).Len()
		p, podErr := pods.In(v).Len()
		fmt.Println(r.Key, j, p)
		return errors.Join(jobErr, podErr)
	}},
		controller.Objects(jobs), // the key of each Job
		controller.Owners(pods, controller.Owner{Group: "batch", Kind: "Job"}), // the Job that owns a Pod
		controller.MappedObjects(settings, func(c *corev1.ConfigMap) []wire.Key { // the Job that a ConfigMap names
			return []wire.Key{{Namespace: c.Namespace, Name: c.Data["job"]}}
		}),
	)
}

func Example_ownersAndOthers() {
	cook(func(k kitchen) error {
		m, err := manager.New(manager.Config{Name: "jobs", Kube: kubeOf(k), Listen: manager.NoListen})
		if err != nil {
			return err
		}
		if err := ownersAndOthers(m); err != nil {
			return err
		}
		return untilPrinted(k.ctx, m.Run)
	}, newJob("train"))
	// Output: ml/train 1 0
}

func outcomes(_ context.Context, _ informer.View, r controller.Request) error {
	switch r.Key.Name {
	case "done":
		return nil
	case "later":
		return controller.RequeueAfter(time.Hour) // succeeded; again in an hour, or at the next change
	case "broken":
		return controller.Terminal(errors.New("the image is missing")) // logged; again at the next change
	default:
		return errors.New("the server is away") // logged; again with backoff
	}
}

func Example_outcomes() {
	fmt.Println(outcomes(context.Background(), informer.View{}, controller.Request{Key: wire.Key{Name: "done"}}))
	fmt.Println(outcomes(context.Background(), informer.View{}, controller.Request{Key: wire.Key{Name: "broken"}}))
	// Output:
	// <nil>
	// the image is missing
}

func everyState(ctx context.Context, jobs *informer.Informer[batchv1.Job], save func(id string, j *batchv1.Job) error) error {
	queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[batchv1.Job]{})
	var workers sync.WaitGroup
	for range 4 { // jobs at a time; the revisions of one job stay in order
		workers.Go(func() {
			for {
				work, err := queue.Get(ctx)
				if err != nil {
					return // ctx is done, or the queue is closed and empty
				}
				j, err := work.Item.Event().Object()
				if err == nil {
					err = save(work.Item.ID(), j) // a second call with the same ID must change nothing
				}
				if err != nil {
					_, _ = queue.Retry(ctx, work.Item) // keeps its place
				} else {
					work.Item.Acknowledge() // a killed program gets it again until here
				}
				_ = queue.Done(work.Item)
			}
		})
	}
	err := controller.Revisions(ctx, jobs, queue, controller.RevisionsConfig[batchv1.Job]{})
	queue.Close()
	workers.Wait()
	return err
}

func Example_everyState() {
	cook(func(k kitchen) error {
		jobs, err := informer.Watch[batchv1.Job](k.cluster, informer.Config{})
		if err != nil {
			return err
		}
		ctx, stop := context.WithCancel(k.ctx)
		tries := 0
		err = running(ctx, jobs, func() error {
			return everyState(ctx, jobs, func(_ string, j *batchv1.Job) error {
				if tries++; tries == 1 {
					return errors.New("the database is away")
				}
				fmt.Println(j.Name, j.Status.Active)
				if j.Status.Active == 2 {
					stop()
					return nil
				}
				for i := range int32(2) {
					if _, err := apitest.Modify(k.server, j, func(j *batchv1.Job) { j.Status.Active = i + 1 }); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}, newJob("train"))
	// Output:
	// train 0
	// train 1
	// train 2
}

func cleanUp(ctx context.Context, client *kube.Client[batchv1.Job], j *batchv1.Job, remove func() error) error {
	const finalizer = "example.com/bucket"
	if j.DeletionTimestamp == nil {
		_, err := client.Mutate(ctx, kube.KeyOf(j), func(j *batchv1.Job) error {
			kube.AddFinalizer(j, finalizer) // before anything is created that must be removed
			return nil
		})
		return err
	}
	if !kube.HasFinalizer(j, finalizer) {
		return nil
	}
	if err := remove(); err != nil {
		return err
	}
	_, err := client.Mutate(ctx, kube.KeyOf(j), func(j *batchv1.Job) error {
		kube.RemoveFinalizer(j, finalizer) // the server then deletes the object
		return nil
	})
	return kube.IgnoreNotFound(err)
}

func Example_cleanUp() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		client, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		remove := func() error { fmt.Println("removed"); return nil }
		key := kube.KeyOf(newJob("train"))
		for range 2 {
			j, err := client.Get(ctx, key)
			if err != nil {
				return err
			}
			if err := cleanUp(ctx, client, j, remove); err != nil {
				return err
			}
			if err := client.Delete(ctx, key, kube.DeleteOptions{}); kube.IgnoreNotFound(err) != nil {
				return err
			}
		}
		_, err = client.Get(ctx, key)
		fmt.Println(err != nil && kube.IgnoreNotFound(err) == nil)
		return nil
	}, newJob("train"))
	// Output:
	// removed
	// true
}

func setCondition(ctx context.Context, client *kube.Client[TrainJob], key wire.Key) error {
	_, err := client.Status().Mutate(ctx, key, func(j *TrainJob) error {
		_, err := kube.SetCondition(j, &j.Status.Conditions, metav1.Condition{
			Type: "Ready", Status: metav1.ConditionTrue, Reason: "PodsRunning", Message: "4 of 4 pods are running",
		})
		return err // the time changes only if the status does, and nothing is written if nothing changes
	})
	return err
}

func Example_setCondition() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		client, err := kube.For[TrainJob](cluster, kube.ClientConfig{GroupVersion: GroupVersion})
		if err != nil {
			return err
		}
		key := wire.Key{Namespace: "ml", Name: "bert"}
		var versions []string
		for range 2 {
			if err := setCondition(ctx, client, key); err != nil {
				return err
			}
			j, err := client.Get(ctx, key)
			if err != nil {
				return err
			}
			versions = append(versions, j.ResourceVersion)
			fmt.Println(j.Status.Conditions[0].Type, j.Status.Conditions[0].Reason)
		}
		fmt.Println("written once:", versions[0] == versions[1])
		return nil
	}, trainJob("bert", 4))
	// Output:
	// Ready PodsRunning
	// Ready PodsRunning
	// written once: true
}

func readOwnWrite(ctx context.Context, pods *informer.Informer[corev1.Pod], client *kube.Client[corev1.Pod]) error {
	created, err := client.Create(ctx, pod("new", "train", "n1"))
	if err != nil {
		return err
	}
	version, err := kube.VersionOf(created)
	if err != nil {
		return err
	}
	if err := pods.WaitFor(ctx, version); err != nil { // a reconcile of package controller does this by itself
		return err
	}
	_, found, err := pods.Snapshot().Get(kube.KeyOf(created))
	fmt.Println(found)
	return err
}

func Example_readOwnWrite() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
		if err != nil {
			return err
		}
		client, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		return running(ctx, pods, func() error { return readOwnWrite(ctx, pods, client) })
	})
	// Output: true
}

func program() {
	manager.Main(manager.Config{
		Name:     "jobs",
		Listen:   ":8080", // /healthz, /readyz, /metrics
		Replicas: controller.Replicas{Mode: controller.LeaderElection},
	}, func(m *manager.Manager) error {
		jobs, err := informer.For[batchv1.Job](m.Factory(), informer.Config{})
		if err != nil {
			return err
		}
		publisher, err := events.New(events.Config{Cluster: m.Cluster(), Controller: "example.com/jobs"})
		if err != nil {
			return err
		}
		return errors.Join(
			m.AddController(controller.Config{Name: "jobs", Workers: 4, Reconcile: outcomes}, controller.Objects(jobs)),
			m.AddController(controller.Config{Name: "reports", Reconcile: outcomes}, controller.Objects(jobs)),
			m.AddFunc("events", publisher.Run),
			m.AddLeading("nightly", func(ctx context.Context) error { // only in the process that leads
				<-ctx.Done()
				return nil
			}),
		)
	})
}

var _ = program // an Example would run until a signal

func publishEvent(ctx context.Context, cluster *kube.Cluster, j *batchv1.Job) error {
	publisher, err := events.New(events.Config{Cluster: cluster, Controller: "example.com/jobs"})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- publisher.Run(ctx) }()
	publisher.Normal(j, "Started", "StartJob", "started with %d pods", 4) // does not wait
	stop()
	return <-ended // Run sends what is left
}

func Example_publishEvent() {
	cook(func(k kitchen) error {
		client, err := kube.For[batchv1.Job](k.cluster, kube.ClientConfig{})
		if err != nil {
			return err
		}
		j, err := client.Get(k.ctx, kube.KeyOf(newJob("train")))
		if err != nil {
			return err
		}
		if err := publishEvent(k.ctx, k.cluster, j); err != nil {
			return err
		}
		writes, err := k.server.Writes()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(writes, func(w apitest.Write) bool { return w.Resource.Resource == "events" })
		fmt.Println(i >= 0)
		return nil
	}, newJob("train"))
	// Output: true
}
