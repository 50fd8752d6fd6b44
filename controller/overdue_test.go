package controller_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
)

// with returns the lines that contain a text.
func (l *logs) with(part string) []string {
	return slices.DeleteFunc(l.all(), func(line string) bool { return !strings.Contains(line, part) })
}

// stuck starts a controller whose reconciles of the given keys return only after release.
func (w *world) stuck(cfg controller.Config, names ...string) (c *controller.Controller, release, stop func()) {
	held := make(chan struct{})
	cfg.Workers = len(names) + 1
	cfg.Reconcile = func(_ context.Context, _ informer.View, r controller.Request) error {
		for _, name := range names {
			if r.Key == key(name) {
				<-held
			}
		}
		return nil
	}
	c = w.controller(cfg, controller.Objects(w.pods))
	for _, name := range names {
		w.create(pod(name))
	}
	w.create(pod("quick"))
	return c, sync.OnceFunc(func() { close(held) }), w.run(c)
}

// TestReconcileDoesNotReturn: a reconcile that ignores the end of its context is logged once,
// with its key, number and age; Health has it; and its return is logged.
func TestReconcileDoesNotReturn(t *testing.T) {
	for _, timeout := range []time.Duration{time.Minute, -1} {
		t.Run(fmt.Sprint(timeout), func(t *testing.T) {
			inWorld(t, func(w *world) {
				c, release, _ := w.stuck(controller.Config{Timeout: timeout}, "a")
				defer release()
				limit := timeout
				if timeout < 0 {
					limit = controller.DefaultTimeout
				}
				pass(limit + 7*time.Second)
				w.touch("quick") // starts another reconcile, which is not overdue
				if lines := w.logs.with("does not return"); len(lines) > 0 || c.Health().Running[0].Overdue {
					t.Errorf("too early: got lines %q", lines)
				}
				pass(2 * time.Second)
				running := c.Health().Running
				if len(running) != 1 || running[0].Key != key("a") || !running[0].Overdue {
					t.Errorf("got the running reconciles %+v, want that of a as overdue", running)
				}
				pass(time.Hour)
				lines := w.logs.with("does not return")
				if len(lines) != 1 {
					t.Fatalf("got lines %q, want 1", lines)
				}
				for _, want := range []string{"key=default/a", "reconcile=" + running[0].ID, fmt.Sprintf("age=%v", limit+8*time.Second), "WARN"} {
					if !strings.Contains(lines[0], want) {
						t.Errorf("got line %q, want one with %s", lines[0], want)
					}
				}
				release()
				pass(time.Second)
				if lines := w.logs.with("has returned"); len(lines) != 1 || !strings.Contains(lines[0], "key=default/a") {
					t.Errorf("after the return: got lines %q, want 1 with the key", lines)
				}
				if n := len(c.Health().Running); n > 0 {
					t.Errorf("got %d running reconciles, want none", n)
				}
			})
		})
	}
}

// TestEndNamesReconciles: the end of Run names the keys that it waits for, once, whether or
// not they were overdue before.
func TestEndNamesReconciles(t *testing.T) {
	for name, before := range map[string]time.Duration{"overdue before": time.Hour, "overdue at the end": time.Second} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				c, release, stop := w.stuck(controller.Config{Timeout: time.Minute, Grace: 30 * time.Second}, "a", "b")
				defer release()
				pass(before)
				w.work.Go(stop)
				pass(37 * time.Second)
				if lines := w.logs.with("Run waits"); len(lines) > 0 {
					t.Errorf("within the grace period: got lines %q", lines)
				}
				pass(2 * time.Second)
				h := c.Health()
				if h.Phase != controller.Stopping || len(h.Running) != 2 || !h.Running[0].Overdue || !h.Running[1].Overdue {
					t.Errorf("got phase %v, running reconciles %+v, want two overdue ones", h.Phase, h.Running)
				}
				pass(time.Hour)
				lines := w.logs.with("Run waits")
				if len(lines) != 1 || !strings.Contains(lines[0], "default/a") || !strings.Contains(lines[0], "default/b") || !strings.Contains(lines[0], "count=2") {
					t.Errorf("got lines %q, want 1 with both keys", lines)
				}
				want := 0
				if before == time.Hour {
					want = 2
				}
				if lines := w.logs.with("does not return; its worker"); len(lines) != want {
					t.Errorf("got lines %q, want %d", lines, want)
				}
			})
		})
	}
}
