package informer_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// tell notes all events of an informer, with why.
func (w *world) tell(inf *informer.Informer[corev1.Pod], d *diary) {
	w.work.Go(func() {
		for ev := range inf.Events(w.ctx) {
			why := map[store.Cause]string{store.Unwatched: " unwatched", store.Initial: " initial", store.Listed: " listed"}[ev.Cause()]
			d.note("%v %s%s", ev.Kind(), ev.Key(), why)
		}
	})
}

// TestNamespaces: many namespaces in one informer, changed while it runs. What
// stays is not fetched again; what goes is told as unwatched, not as gone.
func TestNamespaces(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(in("a", "one"), in("b", "two"), in("c", "three"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Namespaces: []string{"a", "b"}}))
		byNode := informer.IndexBy(inf, func(p *corev1.Pod) string { return p.Namespace })
		var d diary
		w.tell(inf, &d)
		w.run(inf)
		<-inf.Synced()
		w.pass(time.Second)
		if got := d.take(); len(got) != 2 {
			w.t.Errorf("at first: %v", got)
		}
		requests := func() int { return len(w.srv.Requests()) }
		set := func(namespaces ...string) {
			w.t.Helper()
			if err := inf.SetNamespaces(w.ctx, namespaces...); err != nil {
				w.t.Fatal(err)
			}
			w.pass(10 * time.Second)
		}
		before := requests()
		set("b", "c")
		got := d.take()
		slices.Sort(got) // events of two namespaces come in any order
		equal(w.t, "b, c", got, []string{"Added c/three initial", "Deleted a/one unwatched"})
		if n := requests() - before; n != 1 {
			w.t.Errorf("%d requests, want 1", n)
		}
		if byNode.Len(inf.Snapshot(), "a") != 0 || byNode.Len(inf.Snapshot(), "c") != 1 {
			w.t.Error("the index has not followed")
		}
		w.create(in("a", "unseen"), in("b", "seen"))
		w.pass(time.Second)
		equal(w.t, "b, c", d.take(), []string{"Added b/seen"})
		if h, _ := inf.Health(); len(h.Scopes) != 2 || h.Scopes[0].Scope != (delta.Scope{Namespace: "b"}) || h.Ready() != nil {
			w.t.Errorf("%+v", h.Scopes)
		}
		set() // all
		equal(w.t, "all", d.take(), []string{"Added a/one initial", "Added a/unseen initial"})
		if n := inf.Snapshot().Len(); n != 5 {
			w.t.Errorf("%d objects, want 5", n)
		}
		for _, bad := range [][]string{{"a", "a"}, {""}, {".."}, {"../../v1/namespaces/x"}, {"A"}} {
			if err := inf.SetNamespaces(w.ctx, bad...); err == nil {
				w.t.Errorf("%q were taken", bad)
			}
		}
	})
}

// TestClusters: several clusters in one informer, their names in the keys. One
// that fails does not disturb the others; one that comes or goes is told.
func TestClusters(t *testing.T) {
	inWorld(t, func(w *world) {
		east, err := apitest.New(apitest.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		defer east.Close()
		eastern := connect(w.t, east)
		if _, err := east.Create(on("e", "one")); err != nil {
			w.t.Fatal(err)
		}
		w.create(on("w", "one"))
		inf := must(informer.Across[corev1.Pod](informer.Config{}))
		byNode := informer.IndexBy(inf, func(p *corev1.Pod) string { return p.Spec.NodeName })
		var d diary
		w.tell(inf, &d)
		add := func(name string, ok bool) {
			w.t.Helper()
			cluster := w.cluster
			if name == "east" {
				cluster = eastern
			}
			if err := inf.AddCluster(name, cluster); (err == nil) != ok {
				w.t.Errorf("add %q: %v", name, err)
			}
		}
		add("west", true)
		add("west", false)
		add("", false)
		w.run(inf)
		<-inf.Synced()
		w.pass(time.Second)
		equal(w.t, "west", d.take(), []string{"Added west:default/one initial"})

		east.Unavailable()
		add("east", true)
		w.create(pod("two"))
		w.pass(time.Minute)
		equal(w.t, "east is away", d.take(), []string{"Added west:default/two"})
		h, _ := inf.Health()
		if h.Fault != reflector.Unreachable || len(h.Scopes) != 2 || h.Scopes[0].Fault != reflector.Unreachable || h.Scopes[1].Fault != reflector.NoFault || h.Ready() == nil {
			w.t.Errorf("%+v", h.Scopes)
		}
		if err := east.Available(); err != nil {
			w.t.Fatal(err)
		}
		w.pass(time.Minute)
		equal(w.t, "east is back", d.take(), []string{"Added east:default/one initial"})
		s := inf.Snapshot()
		got, ok, err := s.Get(wire.Key{Cluster: "east", Namespace: "default", Name: "one"})
		if err != nil || !ok || got.Spec.NodeName != "e" || byNode.Len(s, "e") != 1 || byNode.Len(s, "w") != 1 {
			w.t.Errorf("%v, %v", got, err)
		}
		equal(w.t, "within", names(w.t, s.Within(delta.Scope{Cluster: "west"})), []string{"one", "two"})
		if err := inf.RemoveCluster(w.ctx, "west"); err != nil {
			w.t.Fatal(err)
		}
		w.pass(time.Second)
		equal(w.t, "west has gone", d.take(), []string{"Deleted west:default/one unwatched", "Deleted west:default/two unwatched"})
		if err := inf.RemoveCluster(w.ctx, "west"); err == nil {
			w.t.Error("removed twice")
		}
		add("west", true) // and comes back
		w.pass(time.Minute)
		for range 5 { // one that comes back at once is listed anew, as its objects are dropped
			if err := inf.RemoveCluster(w.ctx, "west"); err != nil {
				w.t.Fatal(err)
			}
			add("west", true)
			w.pass(time.Minute)
		}
		if n := inf.Snapshot().Len(); n != 3 {
			w.t.Errorf("%d objects", n)
		}
	})
}

// TestOneSource: an informer of a source has nothing to choose.
func TestOneSource(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	inf := must(informer.New[corev1.Pod](cluster.Source(must(kube.Named("pods")), kube.Selection{}), informer.Config{}))
	if inf.SetNamespaces(t.Context(), "a") == nil || inf.AddCluster("a", nil) == nil || inf.RemoveCluster(t.Context(), "a") == nil {
		t.Error("it was given more")
	}
	one := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	if err := one.AddCluster("more", cluster); err == nil {
		t.Error("a second cluster for one without names")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := one.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := one.SetNamespaces(t.Context(), "a"); !errors.Is(err, informer.ErrStopped) {
		t.Errorf("after Run: %v", err)
	}
}

// TestSyncedMeansAll: with several clusters, neither the informer nor a handler is
// synced before the first list of each, though they show what there is.
func TestSyncedMeansAll(t *testing.T) {
	inWorld(t, func(w *world) {
		east, err := apitest.New(apitest.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		defer east.Close()
		east.Unavailable()
		w.create(pod("one"))
		inf := must(informer.Across[corev1.Pod](informer.Config{}))
		for name, cluster := range map[string]*kube.Cluster{"east": connect(w.t, east), "west": w.cluster} {
			if err := inf.AddCluster(name, cluster); err != nil {
				w.t.Fatal(err)
			}
		}
		var d diary
		r := w.handle(inf, d.handler(), informer.HandlerConfig{})
		w.run(inf)
		w.pass(time.Minute)
		equal(w.t, "of the west", d.take(), []string{`add one on "" initial=true`})
		if closedNow(r.Synced()) || closedNow(inf.Synced()) {
			w.t.Error("synced without the east")
		}
		if err := east.Available(); err != nil {
			w.t.Fatal(err)
		}
		<-r.Synced()
	})
}
