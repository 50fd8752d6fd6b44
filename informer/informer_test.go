package informer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// TestNoEndBookmark: a server that forgets the end of a streaming list is asked
// for pages, and not for a stream again.
func TestNoEndBookmark(t *testing.T) {
	before := func(srv *apitest.Server) {
		if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Times: apitest.Always, Action: apitest.NoEndBookmark()}); err != nil {
			t.Fatal(err)
		}
	}
	withInformer(t, apitest.Config{}, informer.Config{}, before, func(w *checkedInformer[corev1.Pod]) {
		w.advance(time.Minute)
		w.churn(0)
		w.inject(apitest.InStreamError(apitest.Failure(410, 0)))
		w.churn(1)
		w.advance(time.Minute)
		streams := 0
		for _, r := range w.srv.Requests() {
			if r.Streaming() {
				streams++
			}
		}
		if lists, _ := w.requests(); streams != 1 || lists != 3 {
			w.t.Errorf("%d streaming lists of %d in all, want 1 of 3", streams, lists)
		}
	})
}

// inject lets something happen to the watch that runs.
func (w *checkedInformer[T]) inject(a apitest.Action) {
	w.t.Helper()
	if _, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: a}); err != nil {
		w.t.Fatal(err)
	}
}

// TestOldServer knows no streaming lists.
func TestOldServer(t *testing.T) {
	withInformer(t, apitest.Config{StreamingLists: apitest.StreamingRefused}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
		for round := range 3 {
			w.churn(round)
			w.advance(time.Second)
		}
	})
}

// TestServerAway comes back with or without its history: what was missed is
// told, deletions included.
func TestServerAway(t *testing.T) {
	for _, history := range []string{"kept", "lost"} {
		t.Run(history, func(t *testing.T) {
			withInformer(t, apitest.Config{}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
				w.advance(time.Second)
				w.srv.Unavailable()
				w.advance(time.Minute)
				w.churn(0)
				w.delete("old-3")
				w.delete("old-4")
				w.create("old-4") // another one of that name
				if history == "lost" {
					w.srv.Compact()
				}
				if err := w.srv.Available(); err != nil {
					w.t.Fatal(err)
				}
				w.settle()
				missed := 0
				for _, ev := range w.recorded() {
					if ev.Missed() {
						missed++
						if obj, err := ev.Object(); err != nil || !strings.HasPrefix(obj.Name, "old-") {
							w.t.Errorf("the last state of what was missed: %v, %v", obj, err)
						}
					}
				}
				if want := map[string]int{"kept": 0, "lost": 2}[history]; missed != want {
					w.t.Errorf("%d deletions missed, want %d", missed, want)
				}
			})
		})
	}
}

// TestHealth looks at what is shown from the first attempt to the end.
func TestHealth(t *testing.T) {
	withInformer(t, apitest.Config{}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
		expect := func(what string, phase reflector.Phase, fault reflector.Fault) reflector.Health {
			w.t.Helper()
			h, _ := w.inf.Health()
			if h.Phase != phase || h.Fault != fault || (h.Err != nil) != (fault != reflector.NoFault) {
				w.t.Errorf("%s: %v, %v, %v; want %v, %v", what, h.Phase, h.Fault, h.Err, phase, fault)
			}
			return h.Health
		}
		w.advance(time.Second)
		h := expect("at first", reflector.Watching, reflector.NoFault)
		if !h.Synced || h.Listed != 5 || h.Version == 0 || h.LastEvent.IsZero() {
			w.t.Errorf("%+v", h)
		}
		_, changed := w.inf.Health()
		w.srv.Unavailable()
		synctest.Wait()
		<-changed // who waits is told
		h = expect("while the server is away", reflector.Waiting, reflector.Unreachable)
		if !h.Retry.After(time.Now()) || time.Until(h.Retry) > time.Minute {
			w.t.Errorf("retry at %v, it is %v", h.Retry, time.Now())
		}
		if err := w.srv.Available(); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Minute)
		h = expect("when it is back", reflector.Watching, reflector.NoFault)
		if h.Restarts == 0 || h.LastErr == nil {
			w.t.Errorf("nothing is left of the fault: %+v", h)
		}
		w.inject(apitest.Garbage(apitest.GarbageOtherKind))
		w.churn(0)
		w.advance(time.Second)
		h = expect("after an event of another kind", reflector.Watching, reflector.NoFault)
		if h.Invalid != 1 || h.LastInvalid == nil {
			w.t.Errorf("%d invalid, %v", h.Invalid, h.LastInvalid)
		}
		w.inject(apitest.InStreamError(apitest.Failure(410, 0)))
		w.churn(1)
		w.advance(time.Minute)
		if h = expect("after 410", reflector.Watching, reflector.NoFault); h.Relists.Expired != 1 {
			w.t.Errorf("%+v", h.Relists)
		}
	})
}

// TestCustomResourceThatComesAndGoes starts before its type is there.
func TestCustomResourceThatComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{})
		inf := must(informer.Watch[TrainJob](cluster, informer.Config{Missing: informer.WaitIfMissing}))
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			if err := inf.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		<-time.After(time.Minute)
		if h, _ := inf.Health(); h.Fault != reflector.Absent || h.Phase != reflector.Waiting {
			t.Errorf("before there is the type: %+v", h)
		}
		kind := apitest.Type{Group: "example.com", Version: "v1", Kind: "TrainJob", Namespaced: true}
		if err := srv.Register(kind); err != nil {
			t.Fatal(err)
		}
		job := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "TrainJob",
			"metadata": map[string]any{"namespace": "ml", "name": "x"}, "spec": map[string]any{"workers": int64(3)},
		}}
		if _, err := srv.Create(job); err != nil {
			t.Fatal(err)
		}
		<-inf.Synced()
		got, ok, err := inf.Snapshot().Get(wire.Key{Namespace: "ml", Name: "x"})
		if err != nil || !ok || got.Spec.Workers != 3 {
			t.Errorf("%+v, %v, %v", got, ok, err)
		}
		if err := srv.Unregister(kind.GroupVersionResource()); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		if h, _ := inf.Health(); h.Fault != reflector.Absent {
			t.Errorf("when the type has gone: %+v", h)
		}
		kind.Version = "v2" // it has been replaced by another
		if err := srv.Register(kind); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		if h, _ := inf.Health(); h.Phase != reflector.Watching || inf.Snapshot().Len() != 0 {
			t.Errorf("when it is back, empty: %+v, %d objects", h, inf.Snapshot().Len())
		}
		cancel()
		work.Wait()
	})
}

// TrainJob is the Go struct of a custom resource.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Workers int `json:"workers"`
	} `json:"spec"`
}

func serve(t *testing.T, cfg apitest.Config) (*apitest.Server, *kube.Cluster) {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv, connect(t, srv)
}

func connect(t *testing.T, srv *apitest.Server) *kube.Cluster {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

func TestIllegalConfigurations(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"any type, and none named": {constructorError(informer.Watch[unstructured.Unstructured](cluster, informer.Config{})), "name it in Resource"},
		"metadata of no type":      {constructorError(informer.Watch[metav1.PartialObjectMetadata](cluster, informer.Config{})), "name it in Resource"},
		"a pointer":                {constructorError(informer.Watch[*corev1.Pod](cluster, informer.Config{})), "use v1.Pod"},
		"no cluster":               {constructorError(informer.Watch[corev1.Pod](nil, informer.Config{})), "the cluster is nil"},
		"no source":                {constructorError(informer.New[corev1.Pod](nil, informer.Config{})), "needs a source"},
		"a namespace twice":        {constructorError(informer.Across[corev1.Pod](informer.Config{Namespaces: []string{"a", "a"}})), "contains a name twice"},
		"a negative page":          {constructorError(informer.Watch[corev1.Pod](cluster, informer.Config{Reflector: reflector.Config{PageSize: -1}})), "PageSize"},
		"a negative time":          {constructorError(informer.Watch[corev1.Pod](cluster, informer.Config{Reflector: reflector.Config{IdleTimeout: -1}})), "IdleTimeout"},
		"backoff upside down":      {constructorError(informer.Watch[corev1.Pod](cluster, informer.Config{Reflector: reflector.Config{MaxBackoff: 1}})), "MaxBackoff"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
}

// reason returns why a constructor refused.
func constructorError[T any](_ *informer.Informer[T], err error) error { return err }

func TestRunOnce(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inf.Run(ctx); err != nil {
		t.Error(err)
	}
	if err := inf.Run(ctx); !errors.Is(err, informer.ErrRunTwice) {
		t.Error(err)
	}
	if h, _ := inf.Health(); h.Phase != reflector.Stopped {
		t.Errorf("%v after Run", h.Phase)
	}
	for range inf.Events(t.Context()) { // ends, as nothing will come
		t.Error("an event")
	}
}

// TestEvents: many sequences, one that stops early, one that starts late; all
// end with Run.
func TestEvents(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	for i := range 10 {
		if _, err := srv.Create(pod(fmt.Sprint("pod-", i))); err != nil {
			t.Fatal(err)
		}
	}
	inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	ctx, cancel := context.WithCancel(t.Context())
	var run, work, subscribed sync.WaitGroup
	run.Go(func() {
		if err := inf.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	count := func(until int) {
		n := 0
		for ev := range inf.Events(t.Context()) {
			if n == 0 {
				subscribed.Done()
			}
			if n++; ev.Kind() != store.Added || ev.Initial() != (n <= 10) {
				t.Errorf("event %d: %v, initial %v", n, ev.Kind(), ev.Initial())
			}
			if old, ok, err := ev.Old(); old != nil || ok || err != nil {
				t.Errorf("event %d: %v, %v, %v before", n, old, ok, err)
			}
			if n == until {
				break
			}
		}
		if n != until {
			t.Errorf("%d events, want %d", n, until)
		}
	}
	subscribed.Add(4)
	work.Go(func() { count(11) })
	work.Go(func() { count(11) })
	work.Go(func() { count(3) })
	<-inf.Synced()
	work.Go(func() { count(10) }) // late
	subscribed.Wait()             // a sequence that starts after the creation is told of pod-new as initial
	if _, err := srv.Create(pod("pod-new")); err != nil {
		t.Fatal(err)
	}
	work.Wait()
	snap := inf.Snapshot()
	n := 0
	for obj, err := range snap.Namespace("default") {
		if n++; err != nil || obj.Spec.Containers[0].Image != "busybox" {
			t.Errorf("%v, %v", obj, err)
		}
	}
	for range snap.All() {
		n++
		break
	}
	if n != 12 || snap.Len() != 11 {
		t.Errorf("%d read of %d", n, snap.Len())
	}
	work.Go(func() {
		for range inf.Events(t.Context()) { // ends with Run
		}
	})
	cancel()
	run.Wait()
	work.Wait()
}

// TestSnapshotOwnsNothing: who gets an object may do with it what he likes.
func TestSnapshotOwnsNothing(t *testing.T) {
	withInformer(t, apitest.Config{}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
		<-w.inf.Synced()
		key := wire.Key{Namespace: "default", Name: "old-0"}
		first, _, err := w.inf.Snapshot().Get(key)
		if err != nil {
			w.t.Fatal(err)
		}
		first.Labels["app"], first.Spec.Containers[0].Image = "spoiled", "spoiled"
		second, ok, err := w.inf.Snapshot().Get(key)
		if !ok || err != nil || second.Labels["app"] != "a" || second.Spec.Containers[0].Image != "busybox" {
			w.t.Errorf("%+v, %v", second, err)
		}
		if _, ok, err := w.inf.Snapshot().Get(wire.Key{Name: "none"}); ok || err != nil {
			w.t.Errorf("what is not there: %v, %v", ok, err)
		}
	})
}
