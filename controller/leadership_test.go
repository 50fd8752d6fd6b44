package controller_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
)

// fleet is a process with two controllers and a function that lead together.
type fleet struct {
	name       string
	leadership *controller.Leadership
	pods, maps *controller.Controller
	stop       func() // in the order of a program: the controllers, then the Leadership

	mu      sync.Mutex
	leading int // calls of the function that run
	calls   int
}

// fleet starts a process that connects as its own user.
func (w *world) fleet(ward *ward, name, token string) *fleet {
	cluster := w.connect(token)
	w.t.Cleanup(cluster.Close)
	f := &fleet{name: name}
	f.leadership = must[*controller.Leadership](w.t)(controller.NewLeadership(controller.Replicas{Name: "fleet", Cluster: cluster, Identity: name, LeaseDuration: leaseFor}, slog.New(&w.logs)))
	pods := legal(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	maps := legal(informer.Watch[corev1.ConfigMap](cluster, informer.Config{}))
	build := func(kind string, runner controller.Runner, source controller.Source) *controller.Controller {
		return must[*controller.Controller](w.t)(controller.New(controller.Config{
			Name: kind, Workers: 4, Grace: 2 * time.Second, Runners: []controller.Runner{runner}, Logger: slog.New(&w.logs), Leadership: f.leadership,
			Reconcile: func(ctx context.Context, _ informer.View, r controller.Request) error {
				return ward.reconcile(ctx, name, r)
			},
		}, source))
	}
	f.pods = build("pods", pods, controller.Objects(pods))
	f.maps = build("maps", maps, controller.Objects(maps))
	ctx, cancel := context.WithCancel(w.ctx)
	var work sync.WaitGroup
	work.Go(func() {
		if err := f.leadership.Run(ctx); err != nil {
			w.t.Errorf("Leadership.Run: %v", err)
		}
	})
	work.Go(func() {
		if err := f.leadership.While(ctx, f.while); err != nil {
			w.t.Errorf("While: %v", err)
		}
	})
	stopPods, stopMaps := w.run(f.pods), w.run(f.maps)
	f.stop = func() {
		stopPods()
		stopMaps()
		cancel()
		work.Wait()
	}
	w.work.Go(work.Wait)
	return f
}

// while runs while the process leads.
func (f *fleet) while(ctx context.Context) error {
	f.mu.Lock()
	f.leading++
	f.calls++
	f.mu.Unlock()
	<-ctx.Done()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leading--
	return context.Cause(ctx)
}

// state returns which parts of a process lead.
func (f *fleet) state() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprintf("pods %t, maps %t, function %d", f.pods.Health().Replica.Active, f.maps.Health().Replica.Active, f.leading)
}

const (
	leads = "pods true, maps true, function 1"
	waits = "pods false, maps false, function 0"
)

// TestLeadership: the controllers and functions of a process lead together, with one Lease.
// A process that cannot renew the Lease ends all of them before another one begins.
func TestLeadership(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("pod-0"), pod("pod-1"), &corev1.ConfigMap{ObjectMeta: pod("map-0").ObjectMeta})
		ward := newWard(t, 10*time.Millisecond)
		one := w.fleet(ward, "one", "1")
		pass(time.Second)
		two := w.fleet(ward, "two", "2")
		pass(time.Minute)
		check := func(what, wantOne, wantTwo string) {
			t.Helper()
			if gotOne, gotTwo := one.state(), two.state(); gotOne != wantOne || gotTwo != wantTwo {
				t.Errorf("%s: got %s and %s, want %s and %s", what, gotOne, gotTwo, wantOne, wantTwo)
			}
		}
		check("at the start", leads, waits)
		if keys, by := ward.take(); keys != 3 || by["one"] != 3 {
			t.Errorf("got %d keys, %v, want the 3 keys of both controllers", keys, by)
		}
		cut := w.cut("one")
		w.touch("pod-0")
		pass(leaseFor*2/3 + time.Second)
		if one.state() != waits {
			t.Errorf("after two thirds of the lease: got %s, want %s", one.state(), waits)
		}
		pass(leaseFor)
		check("while the first cannot reach the Lease", waits, leads)
		cut.Release()
		pass(time.Minute)
		check("when the first can reach the Lease again", waits, leads)
		ward.take()
		two.stop()
		pass(leaseFor / 2)
		if one.state() != leads {
			t.Errorf("after the second has left: got %s, want %s", one.state(), leads)
		}
		if keys, by := ward.take(); keys != 3 || by["one"] != 3 {
			t.Errorf("after the second has left: got %d keys, %v, want 3", keys, by)
		}
		if h := one.leadership.Health(); !h.Active || h.Terms != 2 || h.Lapses != 1 {
			t.Errorf("want the second term and one lapse: %+v", h)
		}
	})
}

// TestLeadershipWaitsForSync: a process does not ask for the Lease before the informers of
// all its controllers are synced.
func TestLeadershipWaitsForSync(t *testing.T) {
	inWorld(t, func(w *world) {
		ward := newWard(t, time.Millisecond)
		hung := w.inject(apitest.Fault{Times: apitest.Always, Action: apitest.Hang(), Match: apitest.Match{
			Resource: "configmaps", Where: func(r apitest.Request) bool { return r.User == "one" },
		}})
		one := w.fleet(ward, "one", "1")
		pass(time.Minute)
		if h := one.leadership.Health(); h.Active {
			t.Errorf("the process leads although an informer is not synced: %+v", h)
		}
		two := w.fleet(ward, "two", "2")
		pass(time.Second)
		if two.state() != leads {
			t.Errorf("got %s, want %s", two.state(), leads)
		}
		hung.Release()
		pass(time.Minute)
		if one.state() != waits || one.pods.Health().Ready() != nil {
			t.Errorf("got %s and %v, want %s and a process that is ready", one.state(), one.pods.Health().Ready(), waits)
		}
	})
}

// TestWhileFails: While returns the error of its function, and what joins later leads at
// once.
func TestWhileFails(t *testing.T) {
	inWorld(t, func(w *world) {
		one := w.fleet(newWard(t, time.Millisecond), "one", "1")
		pass(time.Minute)
		broken := errors.New("broken")
		if err := one.leadership.While(w.ctx, func(context.Context) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("got error %v, want that of the function", err)
		}
	})
}

// TestLeadershipConfig: a Leadership needs a name, and its controllers have no Lease of
// their own.
func TestLeadershipConfig(t *testing.T) {
	inWorld(t, func(w *world) {
		if _, err := controller.NewLeadership(controller.Replicas{Cluster: w.cluster}, nil); err == nil || !strings.Contains(err.Error(), "Replicas.Name") {
			t.Errorf("without a name: got error %v", err)
		}
		if _, err := controller.NewLeadership(controller.Replicas{Name: "x"}, nil); err == nil || !strings.Contains(err.Error(), "Replicas.Cluster") {
			t.Errorf("without a cluster: got error %v", err)
		}
		l := must[*controller.Leadership](t)(controller.NewLeadership(controller.Replicas{Name: "x", Cluster: w.cluster}, nil))
		_, err := controller.New(controller.Config{
			Leadership: l, Replicas: controller.Replicas{Mode: controller.Sharding, Cluster: w.cluster},
			Reconcile: func(context.Context, informer.View, controller.Request) error { return nil },
		}, controller.Objects(w.pods))
		if err == nil || !strings.Contains(err.Error(), "Leadership") {
			t.Errorf("with a Lease of its own too: got error %v", err)
		}
	})
}
