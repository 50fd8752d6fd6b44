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

// logEvents adds all events of an informer, with their causes, to events.
func (w *world) logEvents(inf *informer.Informer[corev1.Pod], events *eventLog) {
	w.work.Go(func() {
		for ev := range inf.Events(w.ctx) {
			cause := map[store.Cause]string{store.Unwatched: " unwatched", store.Initial: " initial", store.Listed: " listed"}[ev.Cause()]
			events.add("%v %s%s", ev.Kind(), ev.Key(), cause)
		}
	})
}

// TestNamespaces changes the namespaces of an informer while it runs. The informer does not
// list a namespace again that it already follows. It reports the objects of a namespace
// that it no longer follows as unwatched, not as deleted by the server.
func TestNamespaces(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podIn("a", "one"), podIn("b", "two"), podIn("c", "three"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Namespaces: []string{"a", "b"}}))
		byNode := informer.IndexBy(inf, func(p *corev1.Pod) string { return p.Namespace })
		var events eventLog
		w.logEvents(inf, &events)
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		if got := events.take(); len(got) != 2 {
			w.t.Errorf("got initial events %v, want 2", got)
		}
		requests := func() int { return len(w.srv.Requests()) }
		set := func(namespaces ...string) {
			w.t.Helper()
			if err := inf.SetNamespaces(w.ctx, namespaces...); err != nil {
				w.t.Fatal(err)
			}
			w.advance(10 * time.Second)
		}
		before := requests()
		set("b", "c")
		got := events.take()
		slices.Sort(got) // events of two namespaces come in any order
		equal(w.t, "b, c", got, []string{"Added c/three initial", "Deleted a/one unwatched"})
		if n := requests() - before; n != 1 {
			w.t.Errorf("got %d requests, want 1", n)
		}
		if must(byNode.Len(inf.Snapshot(), "a")) != 0 || must(byNode.Len(inf.Snapshot(), "c")) != 1 {
			w.t.Errorf("the index has %d objects in a and %d in c, want 0 and 1", must(byNode.Len(inf.Snapshot(), "a")), must(byNode.Len(inf.Snapshot(), "c")))
		}
		w.create(podIn("a", "unseen"), podIn("b", "seen"))
		w.advance(time.Second)
		equal(w.t, "b, c", events.take(), []string{"Added b/seen"})
		if h, _ := inf.Health(); len(h.Scopes) != 2 || h.Scopes[0].Scope != (delta.Scope{Namespace: "b"}) || h.Ready() != nil {
			w.t.Errorf("got scopes %+v, ready: %v, want b and c, ready", h.Scopes, h.Ready())
		}
		set() // all
		equal(w.t, "all", events.take(), []string{"Added a/one initial", "Added a/unseen initial"})
		if n := inf.Snapshot().Records().Len(); n != 5 {
			w.t.Errorf("got %d objects, want 5", n)
		}
		for _, bad := range [][]string{{"a", "a"}, {""}, {".."}, {"../../v1/namespaces/x"}, {"A"}} {
			if err := inf.SetNamespaces(w.ctx, bad...); err == nil {
				w.t.Errorf("SetNamespaces(%q) succeeded, want an error", bad)
			}
		}
	})
}

// TestClusters follows several clusters with one informer. The keys have the names of the
// clusters. An unreachable cluster does not affect the others. The informer reports the
// objects of a cluster that is added or removed.
func TestClusters(t *testing.T) {
	inWorld(t, func(w *world) {
		east, err := apitest.New(apitest.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		defer east.Close()
		eastern := connect(w.t, east)
		if _, err := east.Create(podOn("e", "one")); err != nil {
			w.t.Fatal(err)
		}
		w.create(podOn("w", "one"))
		inf := must(informer.Across[corev1.Pod](informer.Config{}))
		byNode := informer.IndexBy(inf, func(p *corev1.Pod) string { return p.Spec.NodeName })
		var events eventLog
		w.logEvents(inf, &events)
		add := func(name string, ok bool) {
			w.t.Helper()
			cluster := w.cluster
			if name == "east" {
				cluster = eastern
			}
			if err := inf.AddCluster(name, cluster); (err == nil) != ok {
				w.t.Errorf("AddCluster(%q) returned %v, want success: %v", name, err, ok)
			}
		}
		add("west", true)
		add("west", false)
		add("", false)
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		equal(w.t, "west", events.take(), []string{"Added west:default/one initial"})

		east.Unavailable()
		add("east", true)
		w.create(pod("two"))
		w.advance(time.Minute)
		equal(w.t, "while east is unreachable", events.take(), []string{"Added west:default/two"})
		h, _ := inf.Health()
		if h.Fault != reflector.Unreachable || len(h.Scopes) != 2 || h.Scopes[0].Fault != reflector.Unreachable || h.Scopes[1].Fault != reflector.NoFault || h.Ready() == nil {
			w.t.Errorf("got fault %v, scopes %+v, want the fault of east only, and not ready", h.Fault, h.Scopes)
		}
		if err := east.Available(); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Minute)
		equal(w.t, "when east is reachable again", events.take(), []string{"Added east:default/one initial"})
		s := inf.Snapshot()
		got, ok, err := s.Get(wire.Key{Cluster: "east", Namespace: "default", Name: "one"})
		if err != nil || !ok || got.Spec.NodeName != "e" || must(byNode.Len(s, "e")) != 1 || must(byNode.Len(s, "w")) != 1 {
			w.t.Errorf("got %v, %v, want pod one of east on node e; the index has %d objects at e and %d at w, want 1 and 1", got, err, must(byNode.Len(s, "e")), must(byNode.Len(s, "w")))
		}
		equal(w.t, "within west", names(w.t, s.Within(delta.Scope{Cluster: "west"})), []string{"one", "two"})
		if err := inf.RemoveCluster(w.ctx, "west"); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Second)
		equal(w.t, "after the removal of west", events.take(), []string{"Deleted west:default/one unwatched", "Deleted west:default/two unwatched"})
		if err := inf.RemoveCluster(w.ctx, "west"); err == nil {
			w.t.Error("the second RemoveCluster succeeded, want an error")
		}
		add("west", true) // after its removal
		w.advance(time.Minute)
		for range 5 { // a cluster that is added again is listed again, because its objects were dropped
			if err := inf.RemoveCluster(w.ctx, "west"); err != nil {
				w.t.Fatal(err)
			}
			add("west", true)
			w.advance(time.Minute)
		}
		if n := inf.Snapshot().Records().Len(); n != 3 {
			w.t.Errorf("got %d objects, want 3", n)
		}
	})
}

// TestOneSource: an informer of a source has fixed namespaces and clusters, and an informer
// of one cluster does not accept another. A stopped informer accepts no namespaces.
func TestOneSource(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	inf := must(informer.New[corev1.Pod](cluster.Source(must(kube.Named("pods")), kube.Selection{}), informer.Config{}))
	if inf.SetNamespaces(t.Context(), "a") == nil || inf.AddCluster("a", nil) == nil || inf.RemoveCluster(t.Context(), "a") == nil {
		t.Error("SetNamespaces, AddCluster or RemoveCluster succeeded for an informer of a source, want errors")
	}
	one := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	if err := one.AddCluster("more", cluster); err == nil {
		t.Error("AddCluster succeeded for an informer of one cluster, want an error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := one.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := one.SetNamespaces(t.Context(), "a"); !errors.Is(err, informer.ErrStopped) {
		t.Errorf("SetNamespaces after Run: got %v, want ErrStopped", err)
	}
}

// TestSyncedMeansAll: with several clusters, neither the informer nor a handler is synced
// before the first list of each cluster. Both have the objects of the clusters that were
// listed.
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
		var events eventLog
		r := w.handle(inf, events.handler(), informer.HandlerConfig{})
		w.run(inf)
		w.advance(time.Minute)
		equal(w.t, "objects of west", events.take(), []string{`add one on "" initial=true`})
		if isClosed(r.Synced()) || isClosed(inf.Synced()) {
			w.t.Errorf("before the list of east: handler synced %v, informer synced %v, want neither", isClosed(r.Synced()), isClosed(inf.Synced()))
		}
		if err := east.Available(); err != nil {
			w.t.Fatal(err)
		}
		<-r.Synced()
	})
}
