package controller_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// writer returns a controller that wants a ConfigMap for each pod, with the pod's name. It
// creates the ConfigMap if its view does not have it.
func (w *world) writer(d *diary, cfg controller.Config) *controller.Controller {
	maps := must[*kube.Client[corev1.ConfigMap]](w.t)(kube.For[corev1.ConfigMap](w.cluster, kube.ClientConfig{}))
	cfg.Reconcile = func(ctx context.Context, v informer.View, r controller.Request) error {
		_, wanted, _ := w.pods.In(v).Get(r.Key)
		_, exists, _ := w.maps.In(v).Get(r.Key)
		d.note("%s wanted %v, exists %v", r.Key.Name, wanted, exists)
		switch {
		case wanted && !exists:
			_, err := maps.Create(ctx, configMap(r.Key.Name))
			return err
		case exists && !wanted:
			return maps.Delete(ctx, r.Key, kube.DeleteOptions{})
		}
		return nil
	}
	return w.controller(cfg, controller.Objects(w.pods), controller.ReadOnly(w.maps))
}

// TestReadsOwnWrites: the next reconcile of a key waits until the informer shows the
// objects that the previous one created or deleted. No other key waits.
func TestReadsOwnWrites(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		c := w.writer(&d, controller.Config{WriteWait: time.Hour})
		w.run(c)
		pass(time.Second)
		stalled := w.stall("configmaps")
		w.create(pod("a"))
		pass(time.Second)
		equal(t, "first reconcile", d.take(), []string{"a wanted true, exists false"})
		w.touch("a")
		pass(time.Second)
		if h := c.Health(); h.Waiting != 1 {
			t.Errorf("%d keys wait, want 1", h.Waiting)
		}
		w.create(pod("b"))
		pass(time.Second)
		equal(t, "another key", d.take(), []string{"b wanted true, exists false"})
		stalled.Release()
		pass(2 * time.Second)
		equal(t, "after the informer shows the creation", d.take(), []string{"a wanted true, exists true"})

		stalled = w.stall("configmaps")
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		w.create(pod("a"))
		pass(time.Second)
		equal(t, "deletion", d.take(), []string{"a wanted false, exists true"})
		stalled.Release()
		pass(2 * time.Second)
		equal(t, "after the informer shows the deletion", d.take(), []string{"a wanted true, exists false"})
		if s := c.Health().Stats; s.Waits != 2 || s.Waited < 3*time.Second || s.Waited > 6*time.Second || s.Unseen != 0 || s.Reconciles[controller.Failed] != 0 {
			t.Errorf("stats %+v, want 2 waits of 3 to 6 seconds and no failures", s)
		}
	})
}

// TestWaitIsBounded: a key whose writes are not shown in time is reconciled without them,
// and this is logged and counted.
func TestWaitIsBounded(t *testing.T) {
	for _, wait := range []time.Duration{0, -1} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) {
			inWorld(t, func(w *world) {
				var d diary
				c := w.writer(&d, controller.Config{WriteWait: wait})
				w.run(c)
				pass(time.Second)
				w.stall("configmaps")
				w.create(pod("a"))
				pass(time.Second)
				w.touch("a")
				pass(controller.DefaultWriteWait - 2*time.Second)
				if wait == 0 {
					equal(t, "within the bound", d.take(), []string{"a wanted true, exists false"})
				}
				pass(4 * time.Second)
				s := c.Health().Stats
				if !apierrors.IsAlreadyExists(s.LastErr) {
					t.Errorf("got error %v, want that the object already exists", s.LastErr)
				}
				if wait == 0 && (s.Unseen != 1 || !strings.Contains(strings.Join(w.logs.all(), "\n"), "before the informers show the key's own writes")) {
					t.Errorf("want one unseen wait, and a log line: stats %+v, logs %v", s, w.logs.all())
				}
				if wait < 0 && (s.Unseen != 0 || s.Waits != 0) {
					t.Errorf("want no waits without a limit: stats %+v", s)
				}
			})
		})
	}
}

// TestStopsWhileItWaits: stopping the controller ends the wait for a key's own writes.
func TestStopsWhileItWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		c := w.writer(&d, controller.Config{WriteWait: time.Hour, Grace: time.Second})
		stop := w.run(c)
		pass(time.Second)
		w.stall("configmaps")
		w.create(pod("a"))
		pass(time.Second)
		w.touch("a")
		pass(100 * time.Millisecond)
		if h := c.Health(); len(h.Running) != 1 || !h.Running[0].Waiting {
			t.Errorf("running %+v, want one that waits", h.Running)
		}
		began := time.Now()
		stop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("stopping took %v, want at most 1s", took)
		}
		if s := c.Health(); s.Stats.Reconciles[controller.Done] != 1 || s.Leftover != 1 {
			t.Errorf("want one done and one left: %+v", s)
		}
		if errors.Is(c.Health().Stats.LastErr, context.Canceled) {
			t.Error("the stop counts as a failure of a reconcile")
		}
	})
}

// TestWaitHoldsNoWorker: a key is reconciled at once while more keys than workers wait for
// their own writes.
func TestWaitHoldsNoWorker(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		c := w.writer(&d, controller.Config{Workers: 2, WriteWait: time.Hour})
		w.run(c)
		pass(time.Second)
		stalled := w.stall("configmaps")
		for i := range 60 {
			w.create(pod(fmt.Sprint("a", i)))
		}
		pass(time.Second)
		d.take()
		for i := range 60 {
			w.touch(fmt.Sprint("a", i))
		}
		pass(time.Minute)
		equal(t, "reconciles of keys that wait", d.take(), nil)
		if h := c.Health(); h.Waiting != 60 || len(h.Running) != 60 {
			t.Errorf("got %d waiting keys and %d running, want 60", h.Waiting, len(h.Running))
		}
		w.create(pod("new"))
		pass(time.Millisecond)
		equal(t, "another key", d.take(), []string{"new wanted true, exists false"})
		stalled.Release()
		pass(time.Second)
		if got := d.take(); len(got) != 60 {
			t.Errorf("got %d reconciles after the informer shows the writes, want 60", len(got))
		}
	})
}

// TestWriteOutsideSelector: a key does not wait for an object that a selector of the informer
// hides.
func TestWriteOutsideSelector(t *testing.T) {
	for _, cfg := range []informer.Config{{LabelSelector: "app=x"}, {FieldSelector: "spec.nodeName=n1"}, {FieldSelector: "metadata.name=a"}} {
		t.Run(cfg.LabelSelector+cfg.FieldSelector, func(t *testing.T) { testWriteOutsideSelector(t, cfg) })
	}
}

func testWriteOutsideSelector(t *testing.T, cfg informer.Config) {
	inWorld(t, func(w *world) {
		selected := must[*informer.Informer[corev1.Pod]](t)(informer.Watch[corev1.Pod](w.cluster, cfg))
		pods := must[*kube.Client[corev1.Pod]](t)(kube.For[corev1.Pod](w.cluster, kube.ClientConfig{}))
		n := 0
		reconcile := func(ctx context.Context, _ informer.View, _ controller.Request) error {
			n++
			if _, err := pods.Create(ctx, pod(fmt.Sprint("helper-", n))); err != nil {
				return err
			}
			return controller.RequeueAfter(time.Second)
		}
		c := must[*controller.Controller](t)(controller.New(controller.Config{Reconcile: reconcile, Runners: []controller.Runner{selected}}, controller.Objects(selected)))
		p := pod("a")
		p.Labels, p.Spec.NodeName = map[string]string{"app": "x"}, "n1"
		w.create(p)
		w.run(c)
		pass(5 * time.Minute)
		if n < 290 {
			t.Errorf("got %d reconciles in 5 minutes, want one a second", n)
		}
	})
}
