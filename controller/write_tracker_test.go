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

// writer is a controller that wants one ConfigMap for each pod with the name of the
// pod, and creates it if it does not see it.
func (w *world) writer(d *diary, cfg controller.Config) *controller.Controller {
	maps := must[*kube.Client[corev1.ConfigMap]](w.t)(kube.For[corev1.ConfigMap](w.cluster, kube.ClientConfig{}))
	cfg.Reconcile = func(ctx context.Context, v informer.View, r controller.Request) error {
		_, wanted, _ := w.pods.In(v).Get(r.Key)
		_, there, _ := w.maps.In(v).Get(r.Key)
		d.note("%s wanted %v, there %v", r.Key.Name, wanted, there)
		switch {
		case wanted && !there:
			_, err := maps.Create(ctx, configMap(r.Key.Name))
			return err
		case there && !wanted:
			return maps.Delete(ctx, r.Key, kube.DeleteOptions{})
		}
		return nil
	}
	return w.controller(cfg, controller.Objects(w.pods, controller.SourceConfig{}), controller.ReadOnly(w.maps))
}

// TestReadsOwnWrites: the next reconcile of a key waits until the informer shows
// what the one before has created or deleted, and no other key waits with it.
func TestReadsOwnWrites(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		c := w.writer(&d, controller.Config{WriteWait: time.Hour})
		w.run(c)
		pass(time.Second)
		stalled := w.stall("configmaps")
		w.create(pod("a"))
		pass(time.Second)
		equal(t, "the first", d.take(), []string{"a wanted true, there false"})
		w.touch("a")
		pass(time.Second)
		if h := c.Health(); h.Waiting != 1 {
			t.Errorf("%d keys wait", h.Waiting)
		}
		w.create(pod("b"))
		pass(time.Second)
		equal(t, "another key", d.take(), []string{"b wanted true, there false"})
		stalled.Release()
		pass(2 * time.Second)
		equal(t, "when it is seen", d.take(), []string{"a wanted true, there true"})

		stalled = w.stall("configmaps")
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		w.create(pod("a"))
		pass(time.Second)
		equal(t, "the deletion", d.take(), []string{"a wanted false, there true"})
		stalled.Release()
		pass(2 * time.Second)
		equal(t, "when it is gone", d.take(), []string{"a wanted true, there false"})
		if s := c.Health().Stats; s.Waits != 2 || s.Waited < 3*time.Second || s.Waited > 6*time.Second || s.Unseen != 0 || s.Reconciles[controller.Failed] != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestWaitIsBounded: what is not shown in time is gone without, and said.
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
					equal(t, "within the bound", d.take(), []string{"a wanted true, there false"})
				}
				pass(4 * time.Second)
				s := c.Health().Stats
				if !apierrors.IsAlreadyExists(s.LastErr) {
					t.Errorf("it was to run into its own write: %v", s.LastErr)
				}
				if wait == 0 && (s.Unseen != 1 || !strings.Contains(strings.Join(w.logs.all(), "\n"), "without having seen its own writes")) {
					t.Errorf("%+v, %v", s, w.logs.all())
				}
				if wait < 0 && (s.Unseen != 0 || s.Waits != 0) {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestStopsWhileItWaits: a stop does not wait for own writes.
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
			t.Errorf("%+v", h.Running)
		}
		began := time.Now()
		stop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if s := c.Health(); s.Stats.Reconciles[controller.Done] != 1 || s.Leftover != 1 {
			t.Errorf("%+v", s)
		}
		if errors.Is(c.Health().Stats.LastErr, context.Canceled) {
			t.Error("a stop counts as a failure")
		}
	})
}
