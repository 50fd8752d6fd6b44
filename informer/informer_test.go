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

// TestNoEndBookmark: if a server does not send the end of a streaming list, the informer
// requests pages, and no further streaming lists.
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
			w.t.Errorf("got %d streaming lists of %d lists, want 1 of 3", streams, lists)
		}
	})
}

// inject injects a fault into the next event of a watch.
func (w *checkedInformer[T]) inject(a apitest.Action) {
	w.t.Helper()
	if _, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: a}); err != nil {
		w.t.Fatal(err)
	}
}

// TestOldServer runs an informer with a server that refuses streaming lists.
func TestOldServer(t *testing.T) {
	withInformer(t, apitest.Config{StreamingLists: apitest.StreamingRefused}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
		for round := range 3 {
			w.churn(round)
			w.advance(time.Second)
		}
	})
}

// TestServerOutage: after an outage of the server, with or without a compaction of its
// history, the informer reports the missed changes, including deletions.
func TestServerOutage(t *testing.T) {
	for _, history := range []string{"kept", "lost"} {
		t.Run(history, func(t *testing.T) {
			withInformer(t, apitest.Config{}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
				w.advance(time.Second)
				w.srv.Unavailable()
				w.advance(time.Minute)
				w.churn(0)
				w.delete("old-3")
				w.delete("old-4")
				w.create("old-4") // another object of the same name
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
							w.t.Errorf("missed deletion: got object %v, error %v, want the last state of an old pod", obj, err)
						}
					}
				}
				if want := map[string]int{"kept": 0, "lost": 2}[history]; missed != want {
					w.t.Errorf("got %d missed deletions, want %d", missed, want)
				}
			})
		})
	}
}

// TestHealth checks the health of an informer before, during and after several faults.
func TestHealth(t *testing.T) {
	withInformer(t, apitest.Config{}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
		expect := func(when string, phase reflector.Phase, fault reflector.Fault) reflector.Health {
			w.t.Helper()
			h, _ := w.inf.Health()
			if h.Phase != phase || h.Fault != fault || (h.Err != nil) != (fault != reflector.NoFault) {
				w.t.Errorf("%s: got phase %v, fault %v, error %v, want phase %v, fault %v", when, h.Phase, h.Fault, h.Err, phase, fault)
			}
			return h.Health
		}
		w.advance(time.Second)
		h := expect("after the list", reflector.Watching, reflector.NoFault)
		if !h.Synced || h.Listed != 5 || h.Version == 0 || h.LastEvent.IsZero() {
			w.t.Errorf("got health %+v, want synced, 5 listed, a version and an event", h)
		}
		_, changed := w.inf.Health()
		w.srv.Unavailable()
		synctest.Wait()
		<-changed // closed at the change
		h = expect("during the outage", reflector.Waiting, reflector.Unreachable)
		if !h.Retry.After(time.Now()) || time.Until(h.Retry) > time.Minute {
			w.t.Errorf("got retry at %v, want within a minute after %v", h.Retry, time.Now())
		}
		if err := w.srv.Available(); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Minute)
		h = expect("after the outage", reflector.Watching, reflector.NoFault)
		if h.Restarts == 0 || h.LastErr == nil {
			w.t.Errorf("got health %+v, want restarts and the last error", h)
		}
		w.inject(apitest.Garbage(apitest.GarbageOtherKind))
		w.churn(0)
		w.advance(time.Second)
		h = expect("after an event of another kind", reflector.Watching, reflector.NoFault)
		if h.Invalid != 1 || h.LastInvalid == nil {
			w.t.Errorf("got %d invalid, last %v, want 1 and its error", h.Invalid, h.LastInvalid)
		}
		w.inject(apitest.InStreamError(apitest.Failure(410, 0)))
		w.churn(1)
		w.advance(time.Minute)
		if h = expect("after 410", reflector.Watching, reflector.NoFault); h.Relists.Expired != 1 {
			w.t.Errorf("got relists %+v, want 1 expired", h.Relists)
		}
	})
}

// TestCustomResourceInstalledLater starts an informer before its type exists, and then
// installs, removes and replaces the type.
func TestCustomResourceInstalledLater(t *testing.T) {
	t.Parallel()
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
			t.Errorf("before the type exists: got %+v, want fault Absent, phase Waiting", h)
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
			t.Errorf("got %+v, found %v, error %v, want 3 workers", got, ok, err)
		}
		if err := srv.Unregister(kind.GroupVersionResource()); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		if h, _ := inf.Health(); h.Fault != reflector.Absent {
			t.Errorf("after the removal of the type: got %+v, want fault Absent", h)
		}
		kind.Version = "v2" // another version replaces the type
		if err := srv.Register(kind); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		if h, _ := inf.Health(); h.Phase != reflector.Watching || inf.Snapshot().Records().Len() != 0 {
			t.Errorf("after the replacement of the type: got %+v, %d objects, want phase Watching, none", h, inf.Snapshot().Records().Len())
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

// serve starts a server and connects to it, until the end of the test.
func serve(t *testing.T, cfg apitest.Config) (*apitest.Server, *kube.Cluster) {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv, connect(t, srv)
}

// connect connects to a server, until the end of the test.
func connect(t *testing.T, srv *apitest.Server) *kube.Cluster {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

// TestIllegalConfigurations: constructors return an error for an illegal configuration, with
// the reason.
func TestIllegalConfigurations(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"unstructured without Resource": {constructorError(informer.Watch[unstructured.Unstructured](cluster, informer.Config{})), "name it in Resource"},
		"metadata without Resource":     {constructorError(informer.Watch[metav1.PartialObjectMetadata](cluster, informer.Config{})), "name it in Resource"},
		"pointer type":                  {constructorError(informer.Watch[*corev1.Pod](cluster, informer.Config{})), "use v1.Pod"},
		"nil cluster":                   {constructorError(informer.Watch[corev1.Pod](nil, informer.Config{})), "the cluster is nil"},
		"nil source":                    {constructorError(informer.New[corev1.Pod](nil, informer.Config{})), "needs a source"},
		"duplicate namespace":           {constructorError(informer.Across[corev1.Pod](informer.Config{Namespaces: []string{"a", "a"}})), "contains a name twice"},
		"negative PageSize":             {constructorError(informer.Watch[corev1.Pod](cluster, informer.Config{Reflector: reflector.Config{PageSize: -1}})), "PageSize"},
		"negative IdleTimeout":          {constructorError(informer.Watch[corev1.Pod](cluster, informer.Config{Reflector: reflector.Config{IdleTimeout: -1}})), "IdleTimeout"},
		"MaxBackoff below MinBackoff":   {constructorError(informer.Watch[corev1.Pod](cluster, informer.Config{Reflector: reflector.Config{MaxBackoff: 1}})), "MaxBackoff"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, c.err, c.want)
		}
	}
}

// constructorError returns the error of a constructor.
func constructorError[T any](_ *informer.Informer[T], err error) error { return err }

// TestRunOnce: an informer runs once. After Run it is stopped and its sequences end.
func TestRunOnce(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := inf.Run(ctx); err != nil {
		t.Errorf("Run: got %v, want nil", err)
	}
	if err := inf.Run(ctx); !errors.Is(err, informer.ErrRunTwice) {
		t.Errorf("second Run: got %v, want ErrRunTwice", err)
	}
	if h, _ := inf.Health(); h.Phase != reflector.Stopped {
		t.Errorf("after Run: got phase %v, want Stopped", h.Phase)
	}
	for range inf.Events(t.Context()) { // ends because the informer has stopped
		t.Error("got an event, want none")
	}
}

// TestEvents: several sequences run at the same time. One stops early, one starts late, and
// all end with Run.
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
				t.Errorf("event %d: got %v, initial %v, want Added, %v", n, ev.Kind(), ev.Initial(), n <= 10)
			}
			if old, ok, err := ev.Old(); old != nil || ok || err != nil {
				t.Errorf("event %d: Old() = %v, %v, %v, want nil, false, nil", n, old, ok, err)
			}
			if n == until {
				break
			}
		}
		if n != until {
			t.Errorf("got %d events, want %d", n, until)
		}
	}
	subscribed.Add(4)
	work.Go(func() { count(11) })
	work.Go(func() { count(11) })
	work.Go(func() { count(3) })
	<-inf.Synced()
	work.Go(func() { count(10) }) // late
	subscribed.Wait()             // a sequence that starts after the creation would get pod-new as initial
	if _, err := srv.Create(pod("pod-new")); err != nil {
		t.Fatal(err)
	}
	work.Wait()
	snap := inf.Snapshot()
	n := 0
	for obj, err := range snap.Namespace("default") {
		if n++; err != nil || obj.Spec.Containers[0].Image != "busybox" {
			t.Errorf("got pod %v, error %v, want a pod with the image busybox", obj, err)
		}
	}
	for range snap.All() {
		n++
		break
	}
	if n != 12 || snap.Records().Len() != 11 {
		t.Errorf("got %d pods in both loops, Len() = %d, want 12 and 11", n, snap.Records().Len())
	}
	work.Go(func() {
		for range inf.Events(t.Context()) { // ends with Run
		}
	})
	cancel()
	run.Wait()
	work.Wait()
}

// TestObjectsBelongToTheCaller: a caller may change an object from a snapshot. The change does
// not affect the informer.
func TestObjectsBelongToTheCaller(t *testing.T) {
	withInformer(t, apitest.Config{}, informer.Config{}, nil, func(w *checkedInformer[corev1.Pod]) {
		<-w.inf.Synced()
		key := wire.Key{Namespace: "default", Name: "old-0"}
		first, _, err := w.inf.Snapshot().Get(key)
		if err != nil {
			w.t.Fatal(err)
		}
		first.Labels["app"], first.Spec.Containers[0].Image = "changed", "changed"
		second, ok, err := w.inf.Snapshot().Get(key)
		if !ok || err != nil || second.Labels["app"] != "a" || second.Spec.Containers[0].Image != "busybox" {
			w.t.Errorf("got %+v, found %v, error %v, want the unchanged pod", second, ok, err)
		}
		if _, ok, err := w.inf.Snapshot().Get(wire.Key{Name: "none"}); ok || err != nil {
			w.t.Errorf("unknown object: got found %v, error %v, want false, nil", ok, err)
		}
	})
}
