package controller_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
)

// phase sets the phase of a pod.
func (w *world) phase(name string, p corev1.PodPhase) {
	w.t.Helper()
	if _, err := apitest.Modify(w.srv, pod(name), func(obj *corev1.Pod) { obj.Status.Phase = p }); err != nil {
		w.t.Fatal(err)
	}
}

// TestRevisions: every state of every object reaches a worker. The states of one object
// arrive in order and one at a time, also when one of them is retried. Each has its own ID.
func TestRevisions(t *testing.T) {
	inWorld(t, func(w *world) {
		queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[corev1.Pod]{})
		w.work.Go(func() { _ = w.factory.Run(w.ctx) })
		done := make(chan error, 1)
		w.work.Go(func() { done <- controller.Revisions(w.ctx, w.pods, queue, controller.RevisionsConfig[corev1.Pod]{}) })
		var mu sync.Mutex // guards seen and ids
		seen := map[string][]string{}
		ids := map[string]bool{}
		for range 3 {
			w.work.Go(func() {
				for {
					item, err := queue.Get(w.ctx)
					if err != nil {
						return
					}
					r := item.Item
					if name := r.Key.Name; name == "a" && r.Kind.String() == "Updated" && item.Retries == 0 {
						_, _ = queue.Retry(w.ctx, r)
					} else {
						ev := r.Event()
						obj := must[*corev1.Pod](t)(ev.Object())
						mu.Lock()
						seen[name] = append(seen[name], fmt.Sprint(r.Kind, " ", obj.Status.Phase))
						if ids[r.ID()] {
							t.Errorf("ID %s was reported twice", r.ID())
						}
						ids[r.ID()] = true
						mu.Unlock()
					}
					if err := queue.Done(r); err != nil {
						t.Errorf("Done: %v", err)
					}
				}
			})
		}
		pass(time.Second)
		for _, name := range []string{"a", "b"} {
			w.create(pod(name))
			for _, p := range []corev1.PodPhase{"Running", "Succeeded", "Failed"} {
				w.phase(name, p)
			}
			if err := w.srv.Delete(pod(name)); err != nil {
				t.Fatal(err)
			}
			w.create(pod(name))
		}
		pass(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		for _, name := range []string{"a", "b"} {
			equal(t, name, seen[name], []string{
				"Added Pending", "Updated Running", "Updated Succeeded", "Updated Failed", "Deleted Failed", "Added Pending",
			})
		}
		w.cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Revisions: got %v, want context.Canceled", err)
		}
	})
}

// TestRevisionsAreBounded: a queue without workers holds as many revisions as its limit,
// and loses none.
func TestRevisionsAreBounded(t *testing.T) {
	inWorld(t, func(w *world) {
		queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[corev1.Pod]{Limit: 5})
		w.work.Go(func() { _ = w.factory.Run(w.ctx) })
		w.work.Go(func() { _ = controller.Revisions(w.ctx, w.pods, queue, controller.RevisionsConfig[corev1.Pod]{}) })
		pass(time.Second)
		w.create(pod("a"))
		for range 30 {
			w.touch("a")
		}
		pass(time.Minute)
		if s := queue.Stats(); s.Waiting != 5 {
			t.Errorf("%d revisions wait, want 5", s.Waiting)
		}
		last := 0
		for range 31 {
			ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
			item, err := queue.Get(ctx)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if v := int(item.Item.Version); v <= last {
				t.Errorf("version %d after version %d", v, last)
			} else {
				last = v
			}
			_ = queue.Done(item.Item)
			synctest.Wait()
		}
	})
}

// TestRevisionsOfNothing: without an informer or a queue, Revisions returns an error.
func TestRevisionsOfNothing(t *testing.T) {
	if controller.Revisions[corev1.Pod](t.Context(), nil, nil, controller.RevisionsConfig[corev1.Pod]{}) == nil {
		t.Error("Revisions without informer and queue: got no error")
	}
	var zero controller.Revision[corev1.Pod]
	_ = zero.Event()
}
