package controller_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// errTry is the error of reconciles that fail.
var errTry = errors.New("not now")

// TestReconcile: a program needs one call.
func TestReconcile(t *testing.T) {
	inWorld(t, func(w *world) {
		pods := legal(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		byNode := informer.IndexBy(pods, func(p *corev1.Pod) string { return p.Spec.NodeName })
		var d diary
		a, b := pod("a"), pod("b")
		a.Spec.NodeName, b.Spec.NodeName = "n", "n"
		w.create(a) // before the first list
		w.work.Go(func() {
			err := controller.Reconcile(w.ctx, pods, func(_ context.Context, v informer.View, r controller.Request) error {
				s := pods.In(v)
				p, ok, err := s.Get(r.Key)
				if ok {
					d.note("%s with %d, attempt %d, %v", r.Key, legal(byNode.Len(s, p.Spec.NodeName)), r.Attempt, r.Reasons)
				} else {
					d.note("%s gone, %v", r.Key, r.Reasons)
				}
				if r.Attempt == 1 && r.Key.Name == "b" && ok {
					return errTry
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		pass(time.Second)
		w.create(b)
		pass(time.Second)
		if err := w.srv.Delete(a); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		equal(t, "reconciles", d.take(), []string{
			"default/a with 1, attempt 1, [initial default/a at 2]",
			"default/b with 2, attempt 1, [added default/b at 3]",
			"default/b with 2, attempt 2, [retried]",
			"default/a gone, [deleted default/a at 4]",
		})
	})
}

// TestReconcileOfAFactory: Reconcile does not run or stop an informer that a factory runs.
func TestReconcileOfAFactory(t *testing.T) {
	inWorld(t, func(w *world) {
		ctx, cancel := context.WithCancel(w.ctx)
		w.work.Go(func() { _ = w.factory.Run(w.ctx) })
		w.create(pod("a"))
		var n atomic.Int32
		done := make(chan error, 1)
		w.work.Go(func() {
			done <- controller.Reconcile(ctx, w.pods, func(context.Context, informer.View, controller.Request) error {
				n.Add(1)
				return nil
			})
		})
		pass(time.Second)
		cancel()
		if err := <-done; err != nil || n.Load() != 1 {
			t.Errorf("%d reconciles, %v", n.Load(), err)
		}
		w.create(pod("b"))
		pass(time.Second)
		if _, ok, _ := w.pods.Snapshot().Get(key("b")); !ok {
			t.Error("the factory was stopped with the controller")
		}
	})
}

// TestNothingBeforeSync: a source that is not synced delays all reconciles, and Health
// reports it.
func TestNothingBeforeSync(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("a"))
		stalled := w.stall("configmaps")
		var n atomic.Int32
		c := w.controller(controller.Config{Reconcile: func(context.Context, informer.View, controller.Request) error {
			n.Add(1)
			return nil
		}}, controller.Objects(w.pods), controller.ReadOnly(w.maps))
		w.run(c)
		pass(5 * time.Second)
		h := c.Health()
		if n.Load() != 0 || h.Phase != controller.Syncing || h.Ready() == nil || !strings.Contains(h.Ready().Error(), "ConfigMap") {
			t.Errorf("%d reconciles in phase %v, %v", n.Load(), h.Phase, h.Ready())
		}
		if !h.Sources[0].Synced || h.Sources[1].Synced {
			t.Errorf("%+v", h.Sources)
		}
		stalled.Release()
		pass(5 * time.Minute)
		if h := c.Health(); n.Load() != 1 || h.Phase != controller.Working || h.Ready() != nil {
			t.Errorf("%d reconciles in phase %v, %v", n.Load(), h.Phase, h.Ready())
		}
	})
}

// TestFreshGoesFirst: changes are reconciled before the initial objects.
func TestFreshGoesFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 50 {
			w.create(pod(fmt.Sprintf("old-%02d", i)))
		}
		var d diary
		c := w.controller(controller.Config{Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
			d.note("%s", r.Key.Name)
			<-time.After(time.Second)
			return nil
		}}, controller.Objects(w.pods))
		w.run(c)
		pass(3500 * time.Millisecond)
		w.create(pod("new"))
		w.touch("old-40")
		pass(time.Hour)
		lines := d.take()
		if at := slices.Index(lines, "new"); at != 4 || lines[5] != "old-40" || len(lines) != 51 {
			t.Errorf("%d reconciles: %v", len(lines), lines)
		}
	})
}

func owned(name string, refs ...metav1.OwnerReference) *corev1.Pod {
	p := pod(name)
	p.OwnerReferences = refs
	return p
}

func ref(apiVersion, kind, name string, controls bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: "uid-of-" + "x", Controller: &controls}
}

// TestOwners: owners are found by group and kind, including the owners of the object's old
// state.
func TestOwners(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		c := w.controller(
			controller.Config{Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
				d.note("%s", r.Key)
				return nil
			}},
			controller.Owners(w.pods, controller.Owner{Group: "batch", Kind: "Job"}),
			controller.Owners(w.pods, controller.Owner{Kind: "Node", References: controller.AllOwners, Namespace: controller.ClusterScoped}),
		)
		w.run(c)
		w.create(
			owned("a", ref("batch/v1", "Job", "one", true), ref("v1", "Node", "n", false)),
			owned("b", ref("other/v1", "Job", "two", true)),
			owned("c", ref("batch/v1", "Job", "three", false)),
		)
		pass(time.Second)
		got := d.take()
		slices.Sort(got)
		equal(t, "of new pods", got, []string{"default/one", "n"})
		if _, err := apitest.Modify(w.srv, pod("a"), func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{ref("batch/v1", "Job", "four", true)}
		}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		got = d.take()
		slices.Sort(got)
		equal(t, "after a change of owners", got, []string{"default/four", "default/one", "n"})
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		equal(t, "after a deletion", d.take(), []string{"default/four"})
	})
}

// TestMapped: any function can map events to keys. If it panics, other events are not
// affected.
func TestMapped(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		to := func(ev informer.Event[corev1.ConfigMap]) []wire.Key {
			if ev.Key().Name == "bad" {
				panic("bad")
			}
			return []wire.Key{key("x"), key("y")}
		}
		c := w.controller(controller.Config{Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
			d.note("%s %v", r.Key.Name, r.Reasons)
			return nil
		}}, controller.Mapped(w.maps, to).With(controller.SourceConfig{Name: "settings"}))
		w.run(c)
		pass(time.Second)
		w.create(configMap("bad"), configMap("good"))
		pass(time.Second)
		equal(t, "reconciles", d.take(), []string{"x [added default/good at 3]", "y [added default/good at 3]"})
		if h := c.Health(); h.Stats.Unmapped != 1 || h.Sources[0].Name != "settings" {
			t.Errorf("%+v", h)
		}
		if logged := strings.Join(w.logs.all(), "\n"); !strings.Contains(logged, "panic: bad") || !strings.Contains(logged, "controller_test.go") {
			t.Errorf("the panic was not logged with its stack: %s", logged)
		}
	})
}

// TestMappedObjects: a change enqueues the keys of the old and of the new state, each once,
// and a deletion those of the last state. If the function panics, other events are not
// affected.
func TestMappedObjects(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		to := func(m *corev1.ConfigMap) []wire.Key {
			if m.Name == "bad" {
				panic("bad")
			}
			return []wire.Key{key(m.Data["for"]), key("all")}
		}
		c := w.controller(controller.Config{Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
			d.note("%s", r.Key.Name)
			return nil
		}}, controller.MappedObjects(w.maps, to))
		w.run(c)
		pass(time.Second)
		change := func(name, target string) {
			_, err := apitest.Modify(w.srv, configMap(name), func(m *corev1.ConfigMap) { m.Data = map[string]string{"for": target} })
			if err != nil {
				t.Error(err)
			}
			pass(time.Second)
		}
		good := configMap("good")
		good.Data = map[string]string{"for": "x"}
		w.create(configMap("bad"), good)
		pass(time.Second)
		equal(t, "after the creation", d.sorted(), []string{"all", "x"})
		change("good", "y")
		equal(t, "after the move", d.sorted(), []string{"all", "x", "y"})
		if err := w.srv.Delete(configMap("good")); err != nil {
			t.Error(err)
		}
		pass(time.Second)
		equal(t, "after the deletion", d.sorted(), []string{"all", "y"})
		if h := c.Health(); h.Stats.Unmapped != 1 || h.Stats.Reconciles[controller.Done] != 7 {
			t.Errorf("%+v, want one event without keys and 7 reconciles", h.Stats)
		}
	})
}

// TestFilters: an event that a filter rejects enqueues no key, but the object is in the
// view.
func TestFilters(t *testing.T) {
	inWorld(t, func(w *world) {
		var n atomic.Int32
		c := w.controller(controller.Config{Reconcile: func(_ context.Context, v informer.View, r controller.Request) error {
			n.Add(1)
			if w.pods.In(v).Records().Len() == 0 {
				t.Error("the view does not have the pod")
			}
			return nil
		}}, controller.Objects(w.pods, informer.LabelsChanged()))
		w.run(c)
		w.create(pod("a"))
		pass(time.Second)
		w.touch("a")
		pass(time.Second)
		if n.Load() != 1 {
			t.Errorf("%d reconciles", n.Load())
		}
		if err := c.Trigger(workqueue.Options{After: time.Minute}, key("a")); err != nil {
			t.Error(err)
		}
		pass(59 * time.Second)
		if n.Load() != 1 {
			t.Error("Trigger: reconciled before the delay")
		}
		pass(2 * time.Second)
		if n.Load() != 2 {
			t.Error("Trigger: not reconciled after the delay")
		}
	})
}

// TestAnswers: the effect of each result of a reconcile.
func TestAnswers(t *testing.T) {
	panics := func() error { panic("dead") }
	exits := func() error { runtime.Goexit(); return nil }
	for _, c := range []struct {
		name    string
		panics  informer.PanicPolicy
		answer  func() error
		want    controller.Outcome
		minimum time.Duration // between the first and the second reconcile
		calls   int           // in ten minutes
	}{
		{name: "done", answer: func() error { return nil }, want: controller.Done, calls: 1},
		{name: "again", answer: func() error { return controller.RequeueAfter(4 * time.Minute) }, want: controller.Requeued, minimum: 4 * time.Minute, calls: 3},
		{name: "again, wrapped", answer: func() error { return fmt.Errorf("hm: %w", controller.RequeueAfter(4*time.Minute)) }, want: controller.Requeued, minimum: 4 * time.Minute, calls: 3},
		{name: "error", answer: func() error { return errTry }, want: controller.Failed, minimum: 4 * time.Millisecond, calls: 17},
		{name: "error and again", answer: func() error { return errors.Join(errTry, controller.RequeueAfter(0)) }, want: controller.Failed, minimum: 4 * time.Millisecond, calls: 17},
		{name: "again twice", answer: func() error {
			return errors.Join(controller.RequeueAfter(time.Hour), controller.RequeueAfter(4*time.Minute))
		}, want: controller.Requeued, minimum: 4 * time.Minute, calls: 3},
		{name: "terminal", answer: func() error { return controller.Terminal(errTry) }, want: controller.GivenUp, calls: 1},
		{name: "terminal nil", answer: func() error { return controller.Terminal(nil) }, want: controller.Done, calls: 1},
		{name: "panic", answer: panics, want: controller.Failed, minimum: 4 * time.Millisecond, calls: 17},
		{name: "panic, dropped", panics: informer.SkipOnPanic, answer: panics, want: controller.GivenUp, calls: 1},
		{name: "end of the goroutine", answer: exits, want: controller.Failed, minimum: 4 * time.Millisecond, calls: 17},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				var times []time.Time
				ctl := w.controller(controller.Config{Panics: c.panics, Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
					times = append(times, time.Now())
					if (r.Attempt == len(times)) != (c.want == controller.Failed || len(times) == 1) {
						t.Errorf("attempt %d in reconcile number %d", r.Attempt, len(times))
					}
					return c.answer()
				}}, controller.Objects(w.pods))
				stop := w.run(ctl)
				w.create(pod("a"))
				pass(10 * time.Minute)
				stop()
				h := ctl.Health()
				if near := len(times) - c.calls; near < -1 || near > 1 {
					t.Errorf("%d reconciles, want about %d", len(times), c.calls)
				}
				if len(times) > 1 && times[1].Sub(times[0]) < c.minimum {
					t.Errorf("second reconcile after %v, want at least %v", times[1].Sub(times[0]), c.minimum)
				}
				if got := h.Stats.Reconciles[c.want]; got != uint64(len(times)) {
					t.Errorf("got %d of %d reconciles with outcome %v: %v", got, len(times), c.want, h.Stats.Reconciles)
				}
				failed := c.want == controller.Failed || c.want == controller.GivenUp
				if failed != (h.Stats.LastErr != nil) || failed != (h.Stats.LastKey == key("a")) {
					t.Errorf("last error %v of key %v, which does not fit the outcome", h.Stats.LastErr, h.Stats.LastKey)
				}
				if strings.HasPrefix(c.name, "panic") && (h.Stats.Panics != uint64(len(times)) || !strings.Contains(strings.Join(w.logs.all(), " "), "controller_test.go")) {
					t.Errorf("got %d panics, logs %v; want each counted, and a stack in the logs", h.Stats.Panics, w.logs.all())
				}
			})
		})
	}
}

// TestAgainIsASuccess: after RequeueAfter, the next failure is attempt 1 again.
func TestAgainIsASuccess(t *testing.T) {
	inWorld(t, func(w *world) {
		var attempts []int
		c := w.controller(controller.Config{Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
			switch attempts = append(attempts, r.Attempt); len(attempts) {
			case 3:
				return controller.RequeueAfter(time.Second)
			case 6:
				return nil
			}
			return errTry
		}}, controller.Objects(w.pods))
		w.run(c)
		w.create(pod("a"))
		pass(time.Minute)
		equal(t, "attempts", attempts, []int{1, 2, 3, 1, 2, 3})
	})
}

// TestStopOnPanic: with the policy StopOnPanic, Run returns the panic.
func TestStopOnPanic(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("a"))
		c := w.controller(controller.Config{Panics: informer.StopOnPanic, Reconcile: func(context.Context, informer.View, controller.Request) error {
			panic("dead")
		}}, controller.Objects(w.pods))
		var p *controller.PanicError
		if err := c.Run(w.ctx); !errors.As(err, &p) || p.Value != "dead" {
			t.Errorf("Run: got %v, want the PanicError", err)
		}
		if err := c.Run(w.ctx); !errors.Is(err, controller.ErrRunTwice) {
			t.Errorf("second Run: got %v, want ErrRunTwice", err)
		}
		if err := c.Trigger(workqueue.Options{}, key("a")); !errors.Is(err, workqueue.ErrClosed) {
			t.Errorf("Trigger: got %v, want workqueue.ErrClosed", err)
		}
	})
}

// TestTimeout: the context of a reconcile ends at the timeout, and the error says so.
func TestTimeout(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("a"))
		c := w.controller(controller.Config{Timeout: time.Minute, Reconcile: func(ctx context.Context, _ informer.View, r controller.Request) error {
			if r.Attempt > 1 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}}, controller.Objects(w.pods))
		w.run(c)
		pass(59 * time.Second)
		if h := c.Health(); len(h.Running) != 1 || h.Running[0].Key != key("a") {
			t.Errorf("%+v", h.Running)
		}
		pass(2 * time.Second)
		if s := c.Health().Stats; s.Reconciles[controller.Failed] != 1 || s.Reconciles[controller.Done] != 1 || !errors.Is(s.LastErr, controller.ErrTimeout) {
			t.Errorf("%+v", s)
		}
	})
}

// TestOneAtATime: ten workers never reconcile one key at the same time.
func TestOneAtATime(t *testing.T) {
	inWorld(t, func(w *world) {
		var busy [5]atomic.Int32
		var together, most atomic.Int32
		c := w.controller(controller.Config{Workers: 10, Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
			i := r.Key.Name[0] - '0'
			if busy[i].Add(1) > 1 {
				t.Errorf("two reconciles of key %v at a time", r.Key)
			}
			most.Store(max(most.Load(), together.Add(1)))
			<-time.After(time.Second)
			together.Add(-1)
			busy[i].Add(-1)
			return nil
		}}, controller.Objects(w.pods))
		w.run(c)
		for i := range 5 {
			w.create(pod(fmt.Sprint(i)))
		}
		for range 20 {
			for i := range 5 {
				w.touch(fmt.Sprint(i))
			}
			pass(300 * time.Millisecond)
		}
		if most.Load() != 5 {
			t.Errorf("got at most %d keys at a time, want 5", most.Load())
		}
	})
}

// TestViewShowsOneInstant: a view has all informers of the factory at one instant, and does
// not change while it is read. It also has the current state of other informers.
func TestViewShowsOneInstant(t *testing.T) {
	inWorld(t, func(w *world) {
		other := legal(informer.Watch[corev1.Secret](w.cluster, informer.Config{}))
		checked := make(chan struct{}, 10)
		c := w.controller(controller.Config{
			Runners: []controller.Runner{w.factory, other},
			Reconcile: func(_ context.Context, v informer.View, r controller.Request) error {
				before := w.maps.In(v).Records().Len()
				if other.In(v).Records() == nil {
					t.Error("the view does not have the informer outside the factory")
				}
				if r.Key.Name == "a" {
					w.create(configMap("later"))
					<-time.After(time.Second)
					if w.maps.Snapshot().Records().Len() == before {
						t.Error("the informer has not changed during the reconcile")
					}
				}
				if w.maps.In(v).Records().Len() != before {
					t.Error("the view has changed during the reconcile")
				}
				checked <- struct{}{}
				return nil
			},
		}, controller.Objects(w.pods), controller.Objects(other))
		w.run(c)
		w.create(pod("a"))
		<-checked
	})
}

// TestCountsOfWhatIsNoSource: a reconcile that reads an informer that is not a source gets
// its current state. The reconcile fails if that informer does not run, whatever it
// returns.
func TestCountsOfWhatIsNoSource(t *testing.T) {
	inWorld(t, func(w *world) {
		secrets := legal(informer.Watch[corev1.Secret](w.cluster, informer.Config{}))
		idle := legal(informer.Watch[corev1.ConfigMap](w.cluster, informer.Config{}))
		w.create(configMap("one"))
		w.create(configMap("two"))
		counted := make(chan int, 100)
		c := w.controller(controller.Config{
			Runners: []controller.Runner{w.factory, secrets},
			Reconcile: func(_ context.Context, v informer.View, r controller.Request) error {
				if r.Key.Name == "early" && idle.In(v).Records().Len() == 0 {
					return nil // as if there were no objects
				}
				counted <- w.maps.In(v).Records().Len()
				return nil
			},
		}, controller.Objects(secrets))
		w.run(c)
		<-w.maps.Synced()
		w.create(&corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}})
		if n := <-counted; n != 2 {
			t.Errorf("counted %d, want 2", n)
		}
		w.create(&corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "early"}})
		<-time.After(time.Minute)
		if h := c.Health().Stats; !errors.Is(h.LastErr, informer.ErrNotSynced) {
			t.Errorf("reconcile that read an informer that does not run: got %v, want ErrNotSynced", h.LastErr)
		}
	})
}

// TestStops: running reconciles have a grace period, then their contexts end. A key whose
// reconcile did not finish does not count as done.
func TestStops(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("quick"), pod("slow"), pod("waiting"), pod("waiting-too"))
		var d diary
		c := w.controller(controller.Config{Workers: 2, Grace: 10 * time.Second, Reconcile: func(ctx context.Context, _ informer.View, r controller.Request) error {
			took := 5 * time.Second
			if r.Key.Name == "slow" {
				took = time.Hour
			}
			select {
			case <-time.After(took):
				d.note("%s done", r.Key.Name)
				return nil
			case <-ctx.Done():
				d.note("%s: %v", r.Key.Name, context.Cause(ctx))
				return ctx.Err()
			}
		}}, controller.Objects(w.pods))
		stop := w.run(c)
		pass(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("stopping took %v, want 10s", took)
		}
		equal(t, "reconciles", d.take(), []string{"quick done", "slow: " + controller.ErrStopping.Error()})
		h := c.Health()
		if h.Phase != controller.Stopped || h.Leftover != 3 || h.Ready() == nil {
			t.Errorf("got phase %v, leftover %d, ready %v; want stopped, 3 and an error", h.Phase, h.Leftover, h.Ready())
		}
		if got := h.Stats.Reconciles; got[controller.Done] != 1 || got[controller.Interrupted] != 1 || got[controller.Failed] != 0 {
			t.Errorf("%v", got)
		}
	})
}

// TestEndsWithWhatItRuns: an informer that ends before the controller ends the controller.
func TestEndsWithWhatItRuns(t *testing.T) {
	inWorld(t, func(w *world) {
		ended := legal(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		done, cancel := context.WithCancel(w.ctx)
		cancel()
		if err := ended.Run(done); err != nil {
			t.Fatal(err)
		}
		if err := controller.Reconcile(w.ctx, ended, func(context.Context, informer.View, controller.Request) error { return nil }); err == nil {
			t.Errorf("Reconcile: %v", err)
		}
	})
}

// TestIllegal: New rejects invalid configurations.
func TestIllegal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ok := func(context.Context, informer.View, controller.Request) error { return nil }
		cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: &rest.Config{Host: "http://example.com"}}))
		pods := legal(informer.Watch[corev1.Pod](cluster, informer.Config{}))
		source := controller.Objects(pods)
		for name, c := range map[string]struct {
			cfg     controller.Config
			sources []controller.Source
			want    string
		}{
			"no function":           {controller.Config{}, []controller.Source{source}, "Config.Reconcile is not set"},
			"no source":             {controller.Config{Reconcile: ok}, nil, "no source has keys"},
			"only reads":            {controller.Config{Reconcile: ok}, []controller.Source{controller.ReadOnly(pods)}, "no source has keys"},
			"nil informer":          {controller.Config{Reconcile: ok}, []controller.Source{controller.Objects[corev1.Pod](nil)}, "source 0 is empty"},
			"no mapping":            {controller.Config{Reconcile: ok}, []controller.Source{controller.Mapped(pods, nil)}, "Mapped has no function"},
			"no mapping of objects": {controller.Config{Reconcile: ok}, []controller.Source{controller.MappedObjects(pods, nil).With(controller.SourceConfig{Priority: 1})}, "MappedObjects has no function"},
			"no kind":               {controller.Config{Reconcile: ok}, []controller.Source{controller.Owners(pods, controller.Owner{})}, "Owner.Kind is not set"},
			"workers":               {controller.Config{Reconcile: ok, Workers: -1}, []controller.Source{source}, "-1 workers"},
			"panics":                {controller.Config{Reconcile: ok, Panics: 9}, []controller.Source{source}, "Config.Panics is 9"},
			"nil runner":            {controller.Config{Reconcile: ok, Runners: []controller.Runner{nil}}, []controller.Source{source}, "Runners[0] is nil"},
			"mode":                  {controller.Config{Reconcile: ok, Replicas: controller.Replicas{Mode: 9}}, []controller.Source{source}, "Replicas.Mode is 9"},
			"no cluster":            {controller.Config{Reconcile: ok, Replicas: controller.Replicas{Mode: controller.LeaderElection}}, []controller.Source{source}, "Replicas.Cluster is not set"},
		} {
			_, err := controller.New(c.cfg, c.sources...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestCameAndWent: the owner of an object is reconciled even if the source did not look before
// the object was deleted again. Otherwise nobody would replace an object that a controller
// has created and another client has deleted at once.
func TestCameAndWent(t *testing.T) {
	inWorld(t, func(w *world) {
		release := make(chan struct{})
		var mu sync.Mutex
		var reconciled []string
		c := w.controller(controller.Config{Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
			mu.Lock()
			defer mu.Unlock()
			reconciled = append(reconciled, r.Key.Name)
			return nil
		}}, controller.MappedObjects(w.pods, func(p *corev1.Pod) []wire.Key {
			if p.Name == "slow" {
				<-release // the source does not look meanwhile
			}
			return []wire.Key{{Namespace: "default", Name: "owner of " + p.Name}}
		}))
		w.run(c)
		pass(time.Second)
		w.create(pod("slow"))
		pass(time.Second)
		w.create(pod("short"))
		pass(time.Second)
		if err := w.srv.Delete(pod("short")); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		close(release)
		pass(time.Second)
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(reconciled, "owner of short") {
			t.Errorf("got %q, want also the owner of short", reconciled)
		}
	})
}
