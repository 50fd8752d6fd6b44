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

// trainJob returns a custom resource that nests so deep.
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

// TestDeepObject: a small object that nests 1,100 deep is an object like others, for
// informers that run and for those that start, with and without a Go type.
func TestDeepObject(t *testing.T) {
	inWorld(t, func(w *world) {
		if err := w.srv.Register(apitest.Type{Group: "example.com", Version: "v1", Kind: "TrainJob", Namespaced: true}); err != nil {
			w.t.Fatal(err)
		}
		loose := informer.Config{Resource: "trainjobs.example.com"}
		running, runningLoose := must(informer.Watch[TrainJob](w.cluster, informer.Config{})), must(informer.Watch[unstructured.Unstructured](w.cluster, loose))
		w.run(running)
		w.run(runningLoose)
		w.advance(time.Second)
		create := func(job *unstructured.Unstructured) {
			if _, err := w.srv.Create(job); err != nil {
				w.t.Fatal(err)
			}
		}
		create(trainJob("deep", 1100))
		create(trainJob("next", 1))
		started, startedLoose := must(informer.Watch[TrainJob](w.cluster, informer.Config{})), must(informer.Watch[unstructured.Unstructured](w.cluster, loose))
		w.run(started)
		w.run(startedLoose)
		w.advance(time.Second)
		ask := func(n int) {
			w.t.Helper()
			for i, inf := range []*informer.Informer[TrainJob]{running, started} {
				obj, ok, err := inf.Snapshot().Get(wire.Key{Namespace: "ml", Name: "deep"})
				if h, _ := inf.Health(); inf.Snapshot().Len() != n || ok != (n == 2) || err != nil || ok && obj.Spec.Workers != 3 || h.Invalid != 0 || !h.Synced || h.Err != nil {
					w.t.Errorf("informer %d: %d objects, %v, %v: %+v", i, inf.Snapshot().Len(), ok, err, h)
				}
			}
			for i, inf := range []*informer.Informer[unstructured.Unstructured]{runningLoose, startedLoose} {
				_, ok, err := inf.Snapshot().Get(wire.Key{Namespace: "ml", Name: "deep"})
				if h, _ := inf.Health(); inf.Snapshot().Len() != n || ok != (n == 2) || err != nil || h.Invalid != 0 {
					w.t.Errorf("informer %d without a type: %d objects, %v, %v: %+v", i, inf.Snapshot().Len(), ok, err, h)
				}
			}
		}
		ask(2)
		if err := w.srv.Delete(trainJob("deep", 1)); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Second)
		ask(1)
	})
}

// tells collects what an informer tells of one object.
func (w *world) collectEvents(inf *informer.Informer[corev1.Pod], name string) *[]string {
	var told []string
	w.work.Go(func() {
		for ev := range inf.Events(w.ctx) {
			if ev.Key().Name == name {
				told = append(told, fmt.Sprint(ev.Kind(), ev.Missed()))
			}
		}
	})
	return &told
}

// relists makes the watch of pods end with 410.
func (w *world) expireWatch() {
	w.t.Helper()
	match := apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}
	if _, err := w.srv.Inject(apitest.Fault{Match: match, Action: apitest.InStreamError(apitest.Failure(410, 0))}); err != nil {
		w.t.Fatal(err)
	}
	w.create(pod("another"))
	w.advance(time.Minute)
}

// TestUnusableObject: an object that has grown too large stays as it was known, by
// the watch and by the list that follows; one that was never known is not there;
// its deletion is seen. Health names it.
func TestUnusableObject(t *testing.T) {
	for _, streaming := range []reflector.Streaming{reflector.PreferStreaming, reflector.PagesOnly} {
		cfg := informer.Config{}
		cfg.Reflector.Streaming, cfg.Reflector.Wire.MaxRecord = streaming, 16<<10
		inWorld(t, func(w *world) {
			w.create(pod("grows"), pod("stays"))
			inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			told := w.collectEvents(inf, "grows")
			w.run(inf)
			w.advance(time.Second)
			small := w.moveTo("grows", "node")
			w.advance(time.Second)
			grow := func(p *corev1.Pod) { p.Annotations = map[string]string{"large": strings.Repeat("x", 20<<10)} }
			if _, err := apitest.Modify(w.srv, pod("grows"), grow); err != nil {
				w.t.Fatal(err)
			}
			look := func(inf *informer.Informer[corev1.Pod], invalid uint64, there bool) {
				w.t.Helper()
				w.advance(time.Minute)
				h, _ := inf.Health()
				var what *wire.InvalidError
				if !errors.As(h.LastInvalid, &what) || what.Key != key("grows") || h.Invalid != invalid || h.Phase != reflector.Watching || h.Err != nil || !h.Synced {
					w.t.Errorf("%d invalid, want %d, the last: %v; %v, %v", h.Invalid, invalid, h.LastInvalid, h.Phase, h.Err)
				}
				e, ok := inf.Snapshot().Records().Get(key("grows"))
				if ok != there || ok && e.Version() != small {
					w.t.Errorf("the object is there: %v, want %v", ok, there)
				}
				if _, ok := inf.Snapshot().Records().Get(key("stays")); !ok {
					w.t.Error("another object is not there")
				}
			}
			look(inf, 1, true)
			w.expireWatch()
			look(inf, 2, true)
			fresh := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			w.run(fresh)
			look(fresh, 1, false)
			w.delete("grows")
			look(fresh, 2, false)
			look(inf, 3, false)
			if want := []string{"Added false", "Updated false", "Deleted true"}; !slices.Equal(*told, want) {
				w.t.Errorf("told %q, want %q", *told, want)
			}
			w.create(pod("grows")) // it can be used again
			w.advance(time.Second)
			if n := len(*told); n != 4 || inf.Snapshot().Len() != 3 {
				w.t.Errorf("told %q of one that can be used again", *told)
			}
		})
	}
}

// TestRefusedByTransform: an object that Transform or Project refuses or panics for
// stays as it was known, by the watch and by the list that follows; a new one is not
// there. The statistics tell.
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
			w.create(pod("turns"))
			inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			told := w.collectEvents(inf, "turns")
			w.run(inf)
			w.advance(time.Second)
			e, _ := inf.Snapshot().Records().Get(key("turns"))
			w.moveTo("turns", "odd")
			w.create(podOn("odd", "new"))
			w.advance(time.Second)
			for _, refused := range []uint64{2, 4} {
				now, ok := inf.Snapshot().Records().Get(key("turns"))
				if !ok || now.Version() != e.Version() {
					w.t.Errorf("%s: the object is there: %v", how, ok)
				}
				if _, ok := inf.Snapshot().Records().Get(key("new")); ok {
					w.t.Errorf("%s: one that was never taken is there", how)
				}
				st := inf.Stats()
				var panicked *store.PanicError
				if st.Refused != refused || !strings.Contains(st.LastRefused.Error(), "an odd pod") || errors.As(st.LastRefused, &panicked) != (how == "panic") {
					w.t.Errorf("%s: %d refused, want %d: %v", how, st.Refused, refused, st.LastRefused)
				}
				if refused == 2 {
					w.expireWatch()
				}
			}
			w.moveTo("turns", "even")
			w.advance(time.Second)
			if want := []string{"Added false", "Updated false"}; !slices.Equal(*told, want) {
				w.t.Errorf("%s: told %q, want %q", how, *told, want)
			}
		})
	}
}
