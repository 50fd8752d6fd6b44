package informer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// trainJob returns a custom resource with a value that is nested depth levels deep.
func trainJob(name string, depth int) *unstructured.Unstructured {
	var deep any = int64(1)
	for range depth {
		deep = []any{deep}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "TrainJob",
		"metadata": map[string]any{"namespace": "ml", "name": name}, "spec": map[string]any{"workers": int64(3), "deep": deep},
	}}
}

// TestDeepObject: a small object with 1,100 levels of nesting is an object like others, for
// running and for starting informers, with and without a Go type.
func TestDeepObject(t *testing.T) {
	inWorld(t, func(w *world) {
		if err := w.srv.Register(apitest.Type{Group: "example.com", Version: "v1", Kind: "TrainJob", Namespaced: true}); err != nil {
			w.t.Fatal(err)
		}
		untyped := informer.Config{Resource: "trainjobs.example.com"}
		running, runningUntyped := must(informer.Watch[TrainJob](w.cluster, informer.Config{})), must(informer.Watch[unstructured.Unstructured](w.cluster, untyped))
		w.run(running)
		w.run(runningUntyped)
		w.advance(time.Second)
		create := func(job *unstructured.Unstructured) {
			if _, err := w.srv.Create(job); err != nil {
				w.t.Fatal(err)
			}
		}
		create(trainJob("deep", 1100))
		create(trainJob("next", 1))
		started, startedUntyped := must(informer.Watch[TrainJob](w.cluster, informer.Config{})), must(informer.Watch[unstructured.Unstructured](w.cluster, untyped))
		w.run(started)
		w.run(startedUntyped)
		w.advance(time.Second)
		check := func(n int) {
			w.t.Helper()
			for i, inf := range []*informer.Informer[TrainJob]{running, started} {
				obj, ok, err := inf.Snapshot().Get(wire.Key{Namespace: "ml", Name: "deep"})
				if h, _ := inf.Health(); inf.Snapshot().Records().Len() != n || ok != (n == 2) || err != nil || ok && obj.Spec.Workers != 3 || h.Invalid != 0 || !h.Synced || h.Err != nil {
					w.t.Errorf("informer %d: got %d objects, the deep one %v, error %v, want %d, %v, nil; health: %+v", i, inf.Snapshot().Records().Len(), ok, err, n, n == 2, h)
				}
			}
			for i, inf := range []*informer.Informer[unstructured.Unstructured]{runningUntyped, startedUntyped} {
				_, ok, err := inf.Snapshot().Get(wire.Key{Namespace: "ml", Name: "deep"})
				if h, _ := inf.Health(); inf.Snapshot().Records().Len() != n || ok != (n == 2) || err != nil || h.Invalid != 0 {
					w.t.Errorf("untyped informer %d: got %d objects, the deep one %v, error %v, want %d, %v, nil; health: %+v", i, inf.Snapshot().Records().Len(), ok, err, n, n == 2, h)
				}
			}
		}
		check(2)
		if err := w.srv.Delete(trainJob("deep", 1)); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Second)
		check(1)
	})
}

// collectEvents returns a list to which it adds the events of one object.
func (w *world) collectEvents(inf *informer.Informer[corev1.Pod], name string) *[]string {
	var events []string
	w.work.Go(func() {
		for ev := range inf.Events(w.ctx) {
			if ev.Key().Name == name {
				events = append(events, fmt.Sprint(ev.Kind(), ev.Missed()))
			}
		}
	})
	return &events
}

// expireWatch makes the watch of pods end with 410.
func (w *world) expireWatch() {
	w.t.Helper()
	match := apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}
	if _, err := w.srv.Inject(apitest.Fault{Match: match, Action: apitest.InStreamError(apitest.Failure(410, 0))}); err != nil {
		w.t.Fatal(err)
	}
	w.create(pod("another"))
	w.advance(time.Minute)
}

// TestUnusableObject: if an object becomes too large, the informer keeps its last usable state,
// also after the next list. A new informer does not have the object. Health names it, and its
// deletion is reported.
func TestUnusableObject(t *testing.T) {
	for _, streaming := range []reflector.Streaming{reflector.PreferStreaming, reflector.PagesOnly} {
		cfg := informer.Config{}
		cfg.Reflector.Streaming, cfg.Reflector.Wire.MaxRecord = streaming, 16<<10
		inWorld(t, func(w *world) {
			w.create(pod("grows"), pod("stays"))
			inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			events := w.collectEvents(inf, "grows")
			w.run(inf)
			w.advance(time.Second)
			small := w.moveTo("grows", "node")
			w.advance(time.Second)
			grow := func(p *corev1.Pod) { p.Annotations = map[string]string{"large": strings.Repeat("x", 20<<10)} }
			if _, err := apitest.Modify(w.srv, pod("grows"), grow); err != nil {
				w.t.Fatal(err)
			}
			check := func(inf *informer.Informer[corev1.Pod], invalid uint64, present bool) {
				w.t.Helper()
				w.advance(time.Minute)
				h, _ := inf.Health()
				var unusable *wire.InvalidError
				if !errors.As(h.LastInvalid, &unusable) || unusable.Key != key("grows") || h.Invalid != invalid || h.Phase != reflector.Watching || h.Err != nil || !h.Synced {
					w.t.Errorf("got %d invalid, last %v, phase %v, error %v, want %d, default/grows, Watching, nil", h.Invalid, h.LastInvalid, h.Phase, h.Err, invalid)
				}
				e, ok := inf.Snapshot().Records().Get(key("grows"))
				if ok != present || ok && e.Version() != small {
					w.t.Errorf("got the large object: %v, want %v at version %v", ok, present, small)
				}
				if _, ok := inf.Snapshot().Records().Get(key("stays")); !ok {
					w.t.Error("the store lacks default/stays")
				}
			}
			check(inf, 1, true)
			w.expireWatch()
			check(inf, 2, true)
			fresh := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			w.run(fresh)
			check(fresh, 1, false)
			w.delete("grows")
			check(fresh, 2, false)
			check(inf, 3, false)
			if want := []string{"Added false", "Updated false", "Deleted true"}; !slices.Equal(*events, want) {
				w.t.Errorf("got events %q, want %q", *events, want)
			}
			w.create(pod("grows")) // a usable object
			w.advance(time.Second)
			if n := len(*events); n != 4 || inf.Snapshot().Records().Len() != 3 {
				w.t.Errorf("got events %q, %d objects, want a fourth event, 3 objects", *events, inf.Snapshot().Records().Len())
			}
		})
	}
}

// TestRefusedByTransform: if a transform refuses a state of an object or panics, the informer
// keeps the state before, also after the next list. It does not have an object of which it
// refused all states. The statistics count the refusals.
func TestRefusedByTransform(t *testing.T) {
	for how, odd := range map[string]func(){"error": func() {}, "panic": func() { panic("an odd pod") }} {
		cfg := informer.Config{Transform: informer.Transform(func(p *corev1.Pod) error {
			if p.Spec.NodeName == "odd" {
				odd()
				return errors.New("an odd pod")
			}
			return nil
		})}
		inWorld(t, func(w *world) {
			w.create(pod("changes"))
			inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			events := w.collectEvents(inf, "changes")
			w.run(inf)
			w.advance(time.Second)
			e, _ := inf.Snapshot().Records().Get(key("changes"))
			w.moveTo("changes", "odd")
			w.create(podOn("odd", "new"))
			w.advance(time.Second)
			for _, refused := range []uint64{2, 4} {
				now, ok := inf.Snapshot().Records().Get(key("changes"))
				if !ok || now.Version() != e.Version() {
					w.t.Errorf("%s: got the object: %v, want it at version %v", how, ok, e.Version())
				}
				if _, ok := inf.Snapshot().Records().Get(key("new")); ok {
					w.t.Errorf("%s: the store has the refused object default/new", how)
				}
				st := inf.Stats()
				var panicked *store.PanicError
				if st.Refused != refused || !strings.Contains(st.LastRefused.Error(), "an odd pod") || errors.As(st.LastRefused, &panicked) != (how == "panic") {
					w.t.Errorf("%s: got %d refused, last %v, want %d", how, st.Refused, st.LastRefused, refused)
				}
				if refused == 2 {
					w.expireWatch()
				}
			}
			w.moveTo("changes", "even")
			w.advance(time.Second)
			if want := []string{"Added false", "Updated false"}; !slices.Equal(*events, want) {
				w.t.Errorf("%s: got events %q, want %q", how, *events, want)
			}
		})
	}
}
