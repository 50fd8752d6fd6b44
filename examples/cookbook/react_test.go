package cookbook

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

func everyChange(ctx context.Context, pods *informer.Informer[corev1.Pod], act func(informer.Event[corev1.Pod]) error) error {
	for ev := range pods.Events(ctx) { // the existing objects first, then every change, once and in order
		if err := act(ev); err != nil {
			return err
		}
	}
	return nil // ctx is done, or the informer has ended
}

// errEnough ends a recipe that would run forever.
var errEnough = errors.New("enough")

func Example_everyChange() {
	cook(func(k kitchen) error {
		pods, err := informer.Watch[corev1.Pod](k.cluster, informer.Config{})
		if err != nil {
			return err
		}
		return running(k.ctx, pods, func() error {
			return everyChange(k.ctx, pods, func(ev informer.Event[corev1.Pod]) error {
				fmt.Println(ev.Kind(), ev.Key(), "initial:", ev.Initial())
				switch ev.Kind() {
				case store.Added:
					_, err := apitest.Modify(k.server, pod("a", "", ""), func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
					return err
				case store.Updated:
					return k.server.Delete(pod("a", "", ""))
				default:
					return errEnough
				}
			})
		})
	}, pod("a", "train", "n1"))
	// Output:
	// Added ml/a initial: true
	// Updated ml/a initial: false
	// Deleted ml/a initial: false
	// error: enough
}

func handlers(pods *informer.Informer[corev1.Pod]) error {
	_, err := pods.Handle(informer.Handler[corev1.Pod]{
		OnAdd: func(_ context.Context, p *corev1.Pod, isInInitialList bool) error {
			fmt.Println("added", p.Name, "initial:", isInInitialList)
			return nil
		},
		OnUpdate: func(_ context.Context, old, p *corev1.Pod) error {
			fmt.Println("updated", p.Name, old.Status.Phase, "->", p.Status.Phase)
			return nil
		},
		OnDelete: func(_ context.Context, p *corev1.Pod, missed bool) error {
			fmt.Println("deleted", p.Name, "missed:", missed)
			return nil
		},
	}, informer.HandlerConfig{Retry: 3}) // an error is retried 3 times; later events wait
	return err
}

func Example_handlers() {
	cook(func(k kitchen) error {
		pods, err := informer.Watch[corev1.Pod](k.cluster, informer.Config{})
		if err != nil {
			return err
		}
		if err := handlers(pods); err != nil {
			return err
		}
		return running(k.ctx, pods, func() error {
			if _, err := apitest.Modify(k.server, pod("a", "", ""), func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }); err != nil {
				return err
			}
			if err := k.server.Delete(pod("a", "", "")); err != nil {
				return err
			}
			for ev := range pods.Events(k.ctx) { // until the deletion has been read
				if ev.Kind() == store.Deleted {
					break
				}
			}
			return handled(k.ctx, pods, 3)
		})
	}, pod("a", "train", "n1"))
	// Output:
	// added a initial: true
	// updated a Running -> Failed
	// deleted a missed: false
}

// handled waits until the first handler has handled n events.
func handled[T any](ctx context.Context, i *informer.Informer[T], n uint64) error {
	for {
		if health, _ := i.Health(); health.Handlers[0].Handled >= n {
			return nil
		}
		select {
		case <-time.After(time.Millisecond): // an input: the pace of a recipe
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func someUpdates(ctx context.Context, pods *informer.Informer[corev1.Pod], act func(informer.Event[corev1.Pod]) error) error {
	moved, err := informer.FieldChanged[corev1.Pod]("spec.nodeName") // compares bytes
	if err != nil {
		return err
	}
	rerun := informer.Changed(func(old, p *corev1.Pod) bool { // decodes both objects
		return old.Labels["run"] != p.Labels["run"]
	})
	filters := []informer.Filter{informer.AnyUpdate(moved, rerun)}
	for ev := range pods.Changes(ctx, informer.SubscriptionConfig{Filters: filters}) {
		if err := act(ev); err != nil {
			return err
		}
	}
	return nil
}

func Example_someUpdates() {
	cook(func(k kitchen) error {
		pods, err := informer.Watch[corev1.Pod](k.cluster, informer.Config{})
		if err != nil {
			return err
		}
		return running(k.ctx, pods, func() error {
			return someUpdates(k.ctx, pods, func(ev informer.Event[corev1.Pod]) error {
				p, err := ev.Object()
				if err != nil {
					return err
				}
				fmt.Println(ev.Kind(), p.Labels["run"], p.Annotations)
				if ev.Kind() == store.Updated {
					return errEnough
				}
				for i := range 3 { // only the last one changes the label
					_, err := apitest.Modify(k.server, p, func(p *corev1.Pod) {
						p.Annotations = map[string]string{"n": fmt.Sprint(i)}
						p.Labels["run"] = fmt.Sprint(i / 2)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}, labeled(pod("a", "train", "n1"), "run", "0"))
	// Output:
	// Added 0 map[]
	// Updated 1 map[n:2]
	// error: enough
}

// labeled adds a label to a pod.
func labeled(p *corev1.Pod, name, value string) *corev1.Pod {
	p.Labels[name] = value
	return p
}

func byLabelOnBytes(pods *informer.Informer[corev1.Pod]) error {
	training, err := informer.WithLabels("app=train")
	if err != nil {
		return err
	}
	_, err = pods.Handle(informer.Handler[corev1.Pod]{
		OnEvent: func(_ context.Context, ev informer.Event[corev1.Pod]) error {
			fmt.Println(ev.Kind(), ev.Key())
			return nil
		},
	}, informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{training}}})
	return err
}

func Example_byLabelOnBytes() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
		if err != nil {
			return err
		}
		if err := byLabelOnBytes(pods); err != nil {
			return err
		}
		return running(ctx, pods, func() error { return handled(ctx, pods, 1) })
	}, pod("a", "train", "n1"), pod("b", "web", "n1"))
	// Output: Added ml/a
}

func onStateChange(ctx context.Context, jobs *informer.Informer[batchv1.Job], notify func(*batchv1.Job, job.Status) error) error {
	changes := informer.SubscriptionConfig{
		Mode:    store.Lossless, // the informer waits for this loop, so no state is folded away
		Filters: []informer.Filter{informer.ChangedBy(job.StateOf[batchv1.Job])},
	}
	for ev := range jobs.Changes(ctx, changes) {
		j, err := ev.Object()
		if err != nil {
			return err
		}
		if err := notify(j, job.ReadStatus(j)); err != nil {
			return err
		}
	}
	return nil
}

func Example_onStateChange() {
	cook(func(k kitchen) error {
		jobs, err := informer.Watch[batchv1.Job](k.cluster, informer.Config{})
		if err != nil {
			return err
		}
		one := int32(1)
		next := []batchv1.JobStatus{
			{Active: 1, Ready: &one},
			{Active: 1, Ready: &one, Failed: 0, UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{}}, // the same state
			{Failed: 1, Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded"}}},
		}
		return running(k.ctx, jobs, func() error {
			return onStateChange(k.ctx, jobs, func(j *batchv1.Job, status job.Status) error {
				fmt.Printf("%s %s %q\n", j.Name, status.State, status.Reason)
				if status.State.Final() {
					return errEnough
				}
				for ; len(next) > 0; next = next[1:] {
					if _, err := apitest.Modify(k.server, j, func(j *batchv1.Job) { j.Status = next[0] }); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}, newJob("train"))
	// Output:
	// train Submitted ""
	// train Running ""
	// train Failed "BackoffLimitExceeded"
	// error: enough
}

func ready(pods *informer.Informer[corev1.Pod]) error {
	health, changed := pods.Health()
	_ = changed // closed when the health changes
	return errors.Join(health.Ready(), health.Err)
}

func Example_ready() {
	with(func(ctx context.Context, cluster *kube.Cluster) error {
		pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
		if err != nil {
			return err
		}
		fmt.Println(ready(pods) != nil)
		return running(ctx, pods, func() error { return ready(pods) })
	})
	// Output: true
}
