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
	"github.com/vedette-io/vedette/reflector"
)

func informerFor[T any](w *world, f *informer.Factory, cfg informer.Config) *informer.Informer[T] {
	w.t.Helper()
	inf, err := informer.For[T](f, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return inf
}

// TestFactoryShares one reflector among all who ask for the same, and no other;
// it ends with the last of them.
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
			w.t.Errorf("%d run: %+v", n, f.List())
		}
		lists := 0
		for _, r := range w.srv.Requests() {
			if r.Streaming() {
				lists++
			}
		}
		if lists != 8 {
			w.t.Errorf("%d lists, want 8", lists)
		}
		var events eventLog
		w.handle(second, events.handler(), informer.HandlerConfig{})
		first.Release()
		first.Release() // once more is nothing more
		w.create(pod("two"))
		w.advance(time.Second)
		if first.Snapshot().Len() != 2 || len(events.take()) != 2 || isClosed(second.Released()) {
			w.t.Error("ended while somebody uses it")
		}
		second.Release()
		<-second.Released()
		if h, _ := second.Health(); h.Phase != reflector.Stopped || second.Snapshot().Len() != 2 || second.In(f.View()).Len() != 2 {
			w.t.Errorf("after the last release: %v", h.Phase)
		}
		again := informerFor[corev1.Pod](w, f, informer.Config{})
		<-again.Synced()
		if again.In(f.View()).Len() != 2 {
			w.t.Error("the next one does not start anew")
		}
		if err := again.Run(w.ctx); err == nil {
			w.t.Error("one of a factory was run")
		}
	})
}

// TestFactoryEnds: nothing runs when Run has returned, and nothing starts after.
func TestFactoryEnds(t *testing.T) {
	inWorld(t, func(w *world) {
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{Resync: time.Minute})
		never := informerFor[corev1.Pod](w, f, informer.Config{})
		never.Release() // before it ran
		<-never.Released()
		inf := informerFor[corev1.Pod](w, f, informer.Config{})
		missing := informerFor[unstructured.Unstructured](w, f, informer.Config{Resource: "trainjobs.example.com", Missing: informer.WaitIfMissing})
		stop := w.start(f)
		<-inf.Synced()
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
		defer cancel()
		if err := f.WaitForSync(ctx); err == nil || !strings.Contains(err.Error(), "trainjobs.example.com") {
			w.t.Errorf("WaitForSync: %v", err)
		}
		if err := f.Ready(); err == nil || !strings.Contains(err.Error(), "trainjobs.example.com") {
			w.t.Errorf("Ready: %v", err)
		}
		stop()
		if !isClosed(inf.Released()) || !isClosed(missing.Released()) {
			w.t.Error("informers run on")
		}
		if _, err := informer.For[batchv1.Job](f, informer.Config{}); !errors.Is(err, informer.ErrStopped) {
			w.t.Errorf("For after Run: %v", err)
		}
		if err := f.Run(w.ctx); !errors.Is(err, informer.ErrRunTwice) {
			w.t.Errorf("Run again: %v", err)
		}
		if _, err := informer.For[corev1.Pod](informer.NewFactory(w.cluster, informer.FactoryConfig{}), informer.Config{Namespaces: []string{"a", "a"}}); err == nil {
			w.t.Error("a namespace twice")
		}
	})
}

// TestStartsAndStops: goroutines, file handles and memory stay flat over 1,000
// informers that come and go.
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
	for range 1000 {
		round()
	}
	g1, f1, h1 := usage()
	srvRequests := len(srv.Requests()) * 1024 // what the server remembers of requests is its own
	if g1 > g0+20 || f1 > f0+5 || h1 > h0+srvRequests+(4<<20) {
		t.Errorf("%d goroutines became %d, %d files %d, %d B of heap %d", g0, g1, f0, f1, h0, h1)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestReleasedBeforeRun releases an informer that its factory has never run: sequences
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
			t.Errorf("after Release: handler ended %v, sequence ended %v; want both", isClosed(r.Done()), isClosed(ended))
		}
		r.Remove() // must not close Done twice
	})
}
