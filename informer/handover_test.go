package informer_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// revisionLog has the versions of all events of each object, including its deletion.
type revisionLog struct {
	mu  sync.Mutex
	all map[string][]wire.Version
}

// add appends a version.
func (l *revisionLog) add(object string, v wire.Version) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[object] = append(l.all[object], v)
}

// of returns the versions of an object.
func (l *revisionLog) of(object string) []wire.Version {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all[object])
}

// TestNamespacesHandOver changes the namespaces of a running informer while objects change and
// watches are delayed. One namespace is always followed: a subscriber gets each revision of
// its objects once, and every snapshot has them.
func TestNamespacesHandOver(t *testing.T) {
	for n := range testinput.Cases(t, 20) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			inWorld(t, handOver)
		})
	}
}

// handOver runs the test once.
func handOver(w *world) {
	r := testinput.Rand(w.t)
	w.create(podIn("a", "stays"), podIn("b", "comes"), podIn("c", "comes"))
	inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
	revisions := revisionLog{all: map[string][]wire.Version{}}
	w.work.Go(func() {
		for ev := range inf.Events(w.ctx) {
			if ev.Key().Namespace != "a" {
				continue
			}
			revisions.add(ev.Key().Name, ev.Version())
			if ev.Kind() == store.Deleted && ev.Key().Name == "stays" || ev.Cause() == store.Listed || ev.Cause() == store.Unwatched {
				w.t.Errorf("got %v of %v with cause %v, want only changes by the watch", ev.Kind(), ev.Key(), ev.Cause())
			}
			if _, ok, _ := inf.Snapshot().Get(wire.Key{Namespace: "a", Name: "stays"}); !ok {
				w.t.Error("the snapshot lacks a/stays")
			}
		}
	})
	w.run(inf)
	<-inf.Synced()
	w.advance(time.Second)
	want := revisions.of("stays")
	update := func(namespace, name string) wire.Version {
		obj, err := w.srv.Get(podIn(namespace, name))
		if err != nil {
			w.t.Fatal(err)
		}
		p := obj.(*corev1.Pod)
		p.Spec.NodeName = fmt.Sprint("node-", r.Uint32())
		updated, err := w.srv.Update(p)
		if err != nil {
			w.t.Fatal(err)
		}
		return must(wire.ParseVersion(updated.(*corev1.Pod).ResourceVersion))
	}
	var brief int // number of objects that were created and deleted
	for range 60 {
		switch r.IntN(8) {
		case 0:
			sets := [][]string{nil, nil, {"a"}, {"a", "b"}, {"b", "a", "c"}, {"a", "c"}}
			if err := inf.SetNamespaces(w.ctx, sets[r.IntN(len(sets))]...); err != nil {
				w.t.Fatal(err)
			}
		case 1:
			w.create(podIn("a", fmt.Sprint("brief-", brief)))
			if err := w.srv.Delete(podIn("a", fmt.Sprint("brief-", brief))); err != nil {
				w.t.Fatal(err)
			}
			brief++
		case 2:
			update("b", "comes")
		case 3:
			if _, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Delay(time.Duration(r.IntN(3000)) * time.Millisecond)}); err != nil {
				w.t.Fatal(err)
			}
		case 4:
			w.advance(time.Duration(r.IntN(2000)) * time.Millisecond)
		case 5:
			synctest.Wait()
		default:
			want = append(want, update("a", "stays"))
		}
	}
	w.advance(3 * time.Minute)
	equal(w.t, "revisions of a/stays", revisions.of("stays"), want)
	for n := range brief {
		if got := revisions.of(fmt.Sprint("brief-", n)); len(got) != 2 {
			w.t.Errorf("brief-%d: got revisions %v, want its creation and its deletion", n, got)
		}
	}
}

// TestNamespacesStay: when the namespaces change, the objects in both the old and the new set
// cause no event. If the old set includes the new one, there is no list.
func TestNamespacesStay(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podIn("a", "one"), podIn("b", "two"), podIn("c", "three"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		var events eventLog
		w.logEvents(inf, &events)
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		events.take()
		for _, step := range []struct {
			set   []string
			want  []string
			lists int
		}{
			{[]string{"a", "b"}, []string{"Deleted c/three unwatched"}, 0},
			{[]string{"b", "c"}, []string{"Deleted a/one unwatched", "Added c/three initial"}, 1},
			{nil, []string{"Added a/one initial"}, 1},
			{[]string{"a"}, []string{"Deleted b/two unwatched", "Deleted c/three unwatched"}, 0},
			{nil, []string{"Added b/two initial", "Added c/three initial"}, 1},
		} {
			before := w.listCount()
			if err := inf.SetNamespaces(w.ctx, step.set...); err != nil {
				w.t.Fatal(err)
			}
			w.advance(10 * time.Second)
			got := events.take()
			slices.Sort(got) // events of two namespaces come in any order
			slices.Sort(step.want)
			equal(w.t, fmt.Sprint(step.set), got, step.want)
			if n := w.listCount() - before; n != step.lists {
				w.t.Errorf("%v: got %d lists, want %d", step.set, n, step.lists)
			}
		}
		// A list of all namespaces that fails removes no objects.
		if err := inf.SetNamespaces(w.ctx, "a"); err != nil {
			w.t.Fatal(err)
		}
		w.advance(10 * time.Second)
		events.take()
		w.srv.Unavailable()
		if err := inf.SetNamespaces(w.ctx); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Minute)
		if n, h := inf.Snapshot().Records().Len(), firstOf(inf.Health()); n != 1 || len(h.Scopes) != 2 || h.Scopes[0].Scope != (delta.Scope{}) || h.Ready() == nil {
			w.t.Errorf("got %d objects, scopes %+v, want 1 object, 2 scopes, not ready", n, h.Scopes)
		}
		if err := w.srv.Available(); err != nil {
			w.t.Fatal(err)
		}
		w.create(podIn("a", "four"))
		w.advance(2 * time.Minute)
		got := events.take()
		slices.Sort(got) // the watch of "a" and the list of all recover in any order
		equal(w.t, "after the outage", got, []string{"Added a/four", "Added b/two initial", "Added c/three initial"})
	})
}

// firstOf returns the first of two results.
func firstOf[A, B any](a A, _ B) A { return a }

// TestRemovedNamespaceIsDropped: the objects of a removed namespace are dropped even if the
// queue was full at that time, and the context of SetNamespaces is done.
func TestRemovedNamespaceIsDropped(t *testing.T) {
	inWorld(t, func(w *world) {
		for n := range 40 {
			w.create(podIn("a", fmt.Sprint("a-", n)), podIn("b", fmt.Sprint("b-", n)))
		}
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Namespaces: []string{"a", "b"}, Backlog: 4, Queue: delta.Limits{Deltas: 2}}))
		hold := make(chan struct{})
		w.work.Go(func() {
			for range inf.Changes(w.ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
				select {
				case <-hold:
				case <-w.ctx.Done():
				}
			}
		})
		w.run(inf)
		w.advance(time.Minute)
		for n := range 20 { // they fill the queue
			w.create(podIn("a", fmt.Sprint("more-", n)))
			w.advance(time.Second)
		}
		if inf.Stats().Queued == 0 {
			w.t.Error("the queue is empty, want waiting deltas")
		}
		ctx, cancel := context.WithTimeout(w.ctx, time.Second)
		if err := inf.SetNamespaces(ctx, "b"); err != nil && ctx.Err() == nil {
			w.t.Error(err)
		}
		cancel()
		w.advance(time.Minute)
		close(hold)
		w.advance(time.Minute)
		if n := inf.Snapshot().Records().Len(); n != 40 {
			w.t.Errorf("got %d objects, want the 40 of b", n)
		}
	})
}
