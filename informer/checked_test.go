package informer_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// checkedInformer runs an informer with a server and records all its events.
type checkedInformer[T any] struct {
	t   *testing.T
	srv *apitest.Server
	inf *informer.Informer[T]

	mu     sync.Mutex
	events []informer.Event[T]
}

// withInformer runs script with an informer and its own server, in fake time. Then it checks
// that no event was lost, duplicated or out of order. before, if not nil, prepares the server.
func withInformer[T any](t *testing.T, server apitest.Config, cfg informer.Config, before func(*apitest.Server), script func(*checkedInformer[T])) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := apitest.New(server)
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		w := &checkedInformer[T]{t: t, srv: srv, inf: must(informer.Watch[T](cluster, cfg))}
		for i := range 5 {
			w.create("old-" + strconv.Itoa(i))
		}
		if before != nil {
			before(srv)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			if err := w.inf.Run(ctx); err != nil {
				t.Errorf("Run: got %v, want nil", err)
			}
		})
		work.Go(func() {
			for ev := range w.inf.Events(ctx) {
				w.mu.Lock()
				w.events = append(w.events, ev)
				w.mu.Unlock()
			}
		})
		script(w)
		w.settle()
		w.checkState()
		cancel()
		work.Wait()
	})
}

// settle lets fake time pass until all retries have succeeded.
func (w *checkedInformer[T]) settle() { w.advance(5 * time.Minute) }

// advance lets fake time pass, and then waits until all goroutines are blocked.
func (w *checkedInformer[T]) advance(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// pod returns a pod in the namespace default.
func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": "a"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
	}
}

// create creates a pod on the server.
func (w *checkedInformer[T]) create(name string) {
	w.t.Helper()
	if _, err := w.srv.Create(pod(name)); err != nil {
		w.t.Fatal(err)
	}
}

// delete deletes a pod on the server.
func (w *checkedInformer[T]) delete(name string) {
	w.t.Helper()
	if err := w.srv.Delete(pod(name)); err != nil {
		w.t.Fatal(err)
	}
}

// phase sets the phase of a pod.
func (w *checkedInformer[T]) phase(name string, phase corev1.PodPhase) {
	w.t.Helper()
	p := pod(name)
	p.Status.Phase = phase
	if _, err := w.srv.UpdateStatus(p); err != nil {
		w.t.Fatal(err)
	}
}

// churn makes one change of each kind. round is part of the names of new objects.
func (w *checkedInformer[T]) churn(round int) {
	w.t.Helper()
	name := fmt.Sprintf("new-%d", round)
	w.create(name)
	w.phase(name, corev1.PodRunning)
	w.phase("old-0", corev1.PodPhase("round-"+strconv.Itoa(round)))
	if round > 0 {
		w.delete(fmt.Sprintf("new-%d", round-1))
	}
}

// recorded returns the events so far.
func (w *checkedInformer[T]) recorded() []informer.Event[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

// requests returns the number of lists, including streaming lists, and of watches of pods.
func (w *checkedInformer[T]) requests() (lists, watches int) {
	for _, r := range w.srv.Requests() {
		switch {
		case r.Resource.Resource != "pods":
		case r.Options.Limit == 1: // asks for the version of the server only
		case r.Streaming(), r.Verb == apitest.VerbList && r.Options.Continue == "":
			lists++
		case r.Verb == apitest.VerbWatch:
			watches++
		}
	}
	return lists, watches
}

// checkState compares the store and the events with the server.
func (w *checkedInformer[T]) checkState() {
	w.t.Helper()
	objects, err := w.srv.List(pod(""), "")
	if err != nil {
		w.t.Fatal(err)
	}
	want := map[wire.Key]string{}
	for _, o := range objects {
		want[wire.Key{Namespace: o.GetNamespace(), Name: o.GetName()}] = string(o.GetUID()) + "@" + o.GetResourceVersion()
	}
	got := map[wire.Key]string{}
	for rec := range w.inf.Snapshot().Records().All() {
		got[rec.Key()] = rec.UID() + "@" + rec.Version().String()
	}
	w.compare("store", got, want)
	w.compare("events", w.replay(), want)
}

// compare compares the objects of a source, by key, with those of the server.
func (w *checkedInformer[T]) compare(source string, got, want map[wire.Key]string) {
	w.t.Helper()
	for key := range want {
		if got[key] != want[key] {
			w.t.Errorf("%s: got %q for %v, want %q as on the server", source, got[key], key, want[key])
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			w.t.Errorf("%s: got %q for %v, want no such object, as on the server", source, got[key], key)
		}
	}
}

// replay applies the events to a map, and checks that each follows from the state before.
func (w *checkedInformer[T]) replay() map[wire.Key]string {
	w.t.Helper()
	state := map[wire.Key]string{}
	last := map[wire.Key]wire.Version{}
	for i, ev := range w.recorded() {
		key := ev.Key()
		_, exists := state[key]
		switch ev.Kind() {
		case store.Added, store.Updated:
			if exists == (ev.Kind() == store.Added) {
				w.t.Errorf("event %d: got %v of %v, which existed before: %v", i, ev.Kind(), key, exists)
			}
			if ev.Version() <= last[key] {
				w.t.Errorf("event %d: got %v of %v at version %v, want a version after %v", i, ev.Kind(), key, ev.Version(), last[key])
			}
			state[key], last[key] = ev.UID()+"@"+ev.Version().String(), ev.Version()
		case store.Deleted:
			if !exists {
				w.t.Errorf("event %d: got a deletion of %v, which did not exist", i, key)
			}
			delete(state, key)
		}
		if obj, err := ev.Object(); err != nil || obj == nil {
			w.t.Errorf("event %d: got object %v of %v, error %v, want an object", i, obj, key, err)
		}
	}
	return state
}
