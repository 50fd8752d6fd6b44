package informer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/reflector"
)

// informerFor returns an informer of a factory.
func informerFor[T any](w *world, f *informer.Factory, cfg informer.Config) *informer.Informer[T] {
	w.t.Helper()
	inf, err := informer.For[T](f, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return inf
}

// TestFactoryShares: informers of a factory with the same configuration share a reflector,
// and others do not. The reflector stops when the last of them is released.
func TestFactoryShares(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"))
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		first := informerFor[corev1.Pod](w, f, informer.Config{})
		w.run(f)
		second := informerFor[corev1.Pod](w, f, informer.Config{})
		informerFor[corev1.Pod](w, f, informer.Config{LabelSelector: "app=a"})
		informerFor[corev1.Pod](w, f, informer.Config{Namespaces: []string{"default"}})
		informerFor[corev1.Pod](w, f, informer.Config{Storage: informer.Live})
		informerFor[unstructured.Unstructured](w, f, informer.Config{Resource: "pods"})
		informerFor[metav1.PartialObjectMetadata](w, f, informer.Config{Resource: "pods"})
		none := func(*corev1.Pod) error { return nil }
		informerFor[corev1.Pod](w, f, informer.Config{Transform: informer.Transform(none)})
		informerFor[corev1.Pod](w, f, informer.Config{Transform: informer.Transform(none)})
		if err := f.WaitForSync(w.ctx); err != nil {
			w.t.Fatal(err)
		}
		if err := f.Ready(); err != nil {
			w.t.Error(err)
		}
		if n := len(f.List()); n != 8 || f.List()[0].Users+f.List()[1].Users < 2 {
			w.t.Errorf("got %d informers: %+v, want 8, and several users of one", n, f.List())
		}
		lists := 0
		for _, r := range w.srv.Requests() {
			if r.Streaming() {
				lists++
			}
		}
		if lists != 8 {
			w.t.Errorf("got %d lists, want 8", lists)
		}
		var events eventLog
		w.handle(second, events.handler(), informer.HandlerConfig{})
		first.Release()
		first.Release() // has no effect
		w.create(pod("two"))
		w.advance(time.Second)
		if n, e := first.Snapshot().Records().Len(), len(events.take()); n != 2 || e != 2 || isClosed(second.Released()) {
			w.t.Errorf("after the first release: got %d objects, %d events, released %v, want 2, 2, false", n, e, isClosed(second.Released()))
		}
		second.Release()
		<-second.Released()
		if h, _ := second.Health(); h.Phase != reflector.Stopped || second.Snapshot().Records().Len() != 2 || second.In(f.View()).Records().Len() != 2 {
			w.t.Errorf("after the last release: got phase %v, %d objects, %d objects in the view, want Stopped, 2, 2", h.Phase, second.Snapshot().Records().Len(), second.In(f.View()).Records().Len())
		}
		again := informerFor[corev1.Pod](w, f, informer.Config{})
		<-again.Synced()
		if n := again.In(f.View()).Records().Len(); n != 2 {
			w.t.Errorf("an informer after the last release: got %d objects, want 2", n)
		}
		if err := again.Run(w.ctx); err == nil {
			w.t.Error("Run of an informer of a factory succeeded, want an error")
		}
	})
}

// TestFactoryEnds: when Run of a factory has returned, all informers are released, and no
// informer can be created.
func TestFactoryEnds(t *testing.T) {
	inWorld(t, func(w *world) {
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{Resync: time.Minute})
		never := informerFor[corev1.Pod](w, f, informer.Config{})
		never.Release() // before Run
		<-never.Released()
		inf := informerFor[corev1.Pod](w, f, informer.Config{})
		missing := informerFor[unstructured.Unstructured](w, f, informer.Config{Resource: "trainjobs.example.com", Missing: informer.WaitIfMissing})
		stop := w.start(f)
		<-inf.Synced()
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute) // an input: fake time: the caller is a bubble
		defer cancel()
		if err := f.WaitForSync(ctx); err == nil || !strings.Contains(err.Error(), "trainjobs.example.com") {
			w.t.Errorf("WaitForSync: got %v, want an error that names trainjobs.example.com", err)
		}
		if err := f.Ready(); err == nil || !strings.Contains(err.Error(), "trainjobs.example.com") {
			w.t.Errorf("Ready: got %v, want an error that names trainjobs.example.com", err)
		}
		stop()
		if !isClosed(inf.Released()) || !isClosed(missing.Released()) {
			w.t.Errorf("after Run: released %v and %v, want both", isClosed(inf.Released()), isClosed(missing.Released()))
		}
		if _, err := informer.For[batchv1.Job](f, informer.Config{}); !errors.Is(err, informer.ErrStopped) {
			w.t.Errorf("For after Run: got %v, want ErrStopped", err)
		}
		if err := f.Run(w.ctx); !errors.Is(err, informer.ErrRunTwice) {
			w.t.Errorf("second Run: got %v, want ErrRunTwice", err)
		}
		if _, err := informer.For[corev1.Pod](informer.NewFactory(w.cluster, informer.FactoryConfig{}), informer.Config{Namespaces: []string{"a", "a"}}); err == nil {
			w.t.Error("For succeeded with a namespace twice, want an error")
		}
	})
}

// TestStartsAndStops: hundreds of informers that start and stop leave no goroutines, file handles
// or memory.
func TestStartsAndStops(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	for i := range 20 {
		if _, err := srv.Create(pod(fmt.Sprint("pod-", i))); err != nil {
			t.Fatal(err)
		}
	}
	f := informer.NewFactory(cluster, informer.FactoryConfig{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	round := func() {
		inf, err := informer.For[corev1.Pod](f, informer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		informer.IndexBy(inf, func(p *corev1.Pod) string { return p.Name })
		r, err := inf.Handle((&eventLog{}).handler(), informer.HandlerConfig{})
		if err != nil {
			t.Fatal(err)
		}
		<-r.Synced()
		inf.Release()
		<-inf.Released()
	}
	usage := func() (goroutines, files, heap int) {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return runtime.NumGoroutine(), len(open), int(m.HeapAlloc)
	}
	for range 50 {
		round()
	}
	g0, f0, h0 := usage()
	for range testinput.Cases(t, testinput.Size(t, 400, 1000)) {
		round()
	}
	g1, f1, h1 := usage()
	srvRequests := len(srv.Requests()) * 1024 // the requests that the server remembers
	if g1 > g0+20 || f1 > f0+5 || h1 > h0+srvRequests+(4<<20) {
		t.Errorf("goroutines grew from %d to %d, files from %d to %d, the heap from %d B to %d B; want at most 20, 5 and %d B more", g0, g1, f0, f1, h0, h1, srvRequests+(4<<20))
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestReleasedBeforeRun: if an informer is released before its factory runs, its sequences
// and handlers end.
func TestReleasedBeforeRun(t *testing.T) {
	inWorld(t, func(w *world) {
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		inf := must(informer.For[corev1.Pod](f, informer.Config{}))
		r := must(inf.Handle(informer.Handler[corev1.Pod]{OnEvent: func(context.Context, informer.Event[corev1.Pod]) error { return nil }}, informer.HandlerConfig{}))
		ended := make(chan struct{})
		w.work.Go(func() {
			defer close(ended)
			for range inf.Events(w.ctx) {
			}
		})
		w.advance(time.Second)
		if isClosed(r.Done()) || isClosed(ended) {
			t.Error("the handler or the sequence ended before Release")
		}
		inf.Release()
		w.advance(time.Second)
		if !isClosed(r.Done()) || !isClosed(ended) {
			t.Errorf("after Release: handler ended %v, sequence ended %v, want both", isClosed(r.Done()), isClosed(ended))
		}
		r.Remove() // must not close Done twice
	})
}
