package clientgo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/informer"
)

// bubble runs a test in a bubble of synctest with a world.
func bubble(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.server.Close()
		test(t, w)
	})
}

// TestWritesByHand: a write into the store of an informer shows until the server has
// something newer.
func TestWritesByHand(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one", "a/two")
		inf := w.pods(clientgo.Options{})
		x := inf.GetIndexer()
		early := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "early"}, Spec: corev1.PodSpec{NodeName: "node-two"}}
		if err := x.Add(early); err != nil {
			t.Fatal(err)
		}
		if keys := x.ListKeys(); !slices.Equal(keys, []string{"a/early"}) {
			t.Errorf("before it runs, the store has %q", keys)
		}
		defer run(t, inf)()
		if obj, ok, err := x.GetByKey("a/early"); err != nil || !ok || obj != early {
			t.Errorf("GetByKey returned %v, %v, %v; want the early object itself", obj, ok, err)
		}
		if keys, err := x.IndexKeys("node", "node-two"); err != nil || !slices.Equal(keys, []string{"a/early", "a/two"}) {
			t.Errorf("IndexKeys returned %q, %v; want a/early and a/two", keys, err)
		}
		if values := x.ListIndexFuncValues("node"); !slices.Equal(values, []string{"node-one", "node-two"}) {
			t.Errorf("ListIndexFuncValues returned %q, want node-one and node-two", values)
		}
		one, _, _ := x.GetByKey("a/one")
		mine := one.(*corev1.Pod).DeepCopy()
		mine.Spec.NodeName = "mine"
		if err := errors.Join(x.Update(mine), x.Delete(early)); err != nil {
			t.Fatal(err)
		}
		if all, err := x.ByIndex("node", "mine"); err != nil || len(all) != 1 || all[0] != any(mine) || len(x.List()) != 2 {
			t.Errorf("ByIndex returned %v, %v; List %v", all, err, x.List())
		}
		if err := w.client.CoreV1().Pods("a").Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if keys := x.ListKeys(); !slices.Equal(keys, []string{"a/two"}) {
			t.Errorf("after the server deleted it, the store has %q", keys)
		}
		if obj, ok, err := x.GetByKey("a/one"); ok || err != nil {
			t.Errorf("after the server deleted it, GetByKey returned %v, %v", obj, err)
		}
		if err := x.Replace([]any{early}, "7"); err != nil {
			t.Fatal(err)
		}
		if keys := x.ListKeys(); !slices.Equal(keys, []string{"a/early"}) {
			t.Errorf("after Replace the store has %q", keys)
		}
	})
}

// TestTransform: handlers, the store and indexes see the result of the transform, of its
// own type or of another.
func TestTransform(t *testing.T) {
	type slim struct{ Node string }
	for name, f := range map[string]cache.TransformFunc{
		"same type": func(obj any) (any, error) {
			obj.(*corev1.Pod).Spec.Containers = nil
			return obj, nil
		},
		"another type": func(obj any) (any, error) { return &slim{obj.(*corev1.Pod).Spec.NodeName}, nil },
	} {
		for _, storage := range []informer.Storage{informer.Packed, informer.Live} {
			t.Run(fmt.Sprint(name, storage), func(t *testing.T) {
				bubble(t, func(t *testing.T, w *world) {
					w.create("a/one")
					inf := clientgo.Adopt(coreinformers.NewPodInformer(w.client, "", 0, cache.Indexers{}), clientgo.Options{Storage: storage})
					if err := inf.SetTransform(f); err != nil {
						t.Fatal(err)
					}
					var told any
					if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { told = obj }}); err != nil {
						t.Fatal(err)
					}
					defer run(t, inf)()
					synctest.Wait()
					got, _, err := inf.GetStore().GetByKey("a/one")
					if err != nil || got != told {
						t.Errorf("the store has %v, the handler got %v; %v", got, told, err)
					}
					switch o := got.(type) {
					case *corev1.Pod:
						if len(o.Spec.Containers) != 0 || o.Spec.NodeName != "node-one" {
							t.Errorf("the pod is %v", o.Spec)
						}
					case *slim:
						if o.Node != "node-one" {
							t.Errorf("the object is %v", o)
						}
					}
					if err := inf.SetTransform(nil); err == nil {
						t.Error("a transform was set while the informer runs")
					}
				})
			})
		}
	}
}

// closed reports whether the handler of a registration has ended.
func closed(reg cache.ResourceEventHandlerRegistration) bool {
	select {
	case <-reg.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan():
		return true
	default:
		return false
	}
}

// TestResync: a handler with a period gets each object again, as it is. A period is a
// second at least.
func TestResync(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one", "a/two")
		inf := w.pods(clientgo.Options{})
		var again, other atomic.Int64
		count := func(n *atomic.Int64) cache.ResourceEventHandler {
			return cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, obj any) {
				if old.(*corev1.Pod).ResourceVersion == obj.(*corev1.Pod).ResourceVersion {
					n.Add(1)
				}
			}}
		}
		if _, err := inf.AddEventHandlerWithResyncPeriod(count(&again), time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := inf.AddEventHandler(count(&other)); err != nil {
			t.Fatal(err)
		}
		var often atomic.Int64
		if _, err := inf.AddEventHandlerWithResyncPeriod(count(&often), time.Millisecond); err != nil {
			t.Fatal(err)
		}
		defer run(t, inf)()
		<-time.After(150*time.Second + time.Millisecond)
		if again.Load() != 4 || other.Load() != 0 || often.Load() != 300 {
			t.Errorf("%d, %d and %d updates, want 4, none and 300", again.Load(), other.Load(), often.Load())
		}
	})
}

// TestRemovedHandler: a removed handler gets nothing more, and ShutDownEventHandler waits
// for its last call.
func TestRemovedHandler(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		inf := w.pods(clientgo.Options{})
		calls := make(chan struct{})
		var adds atomic.Int64
		reg, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { adds.Add(1); <-calls }})
		if err != nil {
			t.Fatal(err)
		}
		never, err := inf.AddEventHandler(&diary{})
		if err != nil {
			t.Fatal(err)
		}
		if err := inf.RemoveEventHandler(never); err != nil {
			t.Fatal(err)
		}
		w.create("a/one", "a/two") // in one batch
		stop := run(t, inf)
		synctest.Wait()
		ended := make(chan error, 1)
		go func() { ended <- shutDown(inf, reg) }()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Errorf("shutDown returned %v during a call", err)
		default:
		}
		close(calls)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		w.create("a/three")
		synctest.Wait()
		if adds.Load() != 1 {
			t.Errorf("%d calls, want 1", adds.Load())
		}
		if err := errors.Join(inf.RemoveEventHandler(reg), inf.RemoveEventHandler(reg)); err != nil {
			t.Error(err)
		}
		foreign, err := w.pods(clientgo.Options{}).AddEventHandler(&diary{})
		if err != nil {
			t.Fatal(err)
		}
		if err := inf.RemoveEventHandler(foreign); err != nil || closed(foreign) {
			t.Errorf("the registration of another informer was removed, or RemoveEventHandler returned %v", err)
		}
		if err := inf.RemoveEventHandler(nil); err == nil {
			t.Error("a foreign registration was removed")
		}
		stop()
		if _, err := inf.AddEventHandler(&diary{}); err == nil || !inf.IsStopped() {
			t.Error("a handler was added to an informer that has stopped")
		}
		if err := inf.AddIndexers(cache.Indexers{}); err == nil {
			t.Error("indexers were added to an informer that has stopped")
		}
	})
}

// TestKeyHandler: a handler of names decodes nothing.
func TestKeyHandler(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one", "a/two")
		inf := clientgo.Adopt(coreinformers.NewPodInformer(w.client, "", 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}), clientgo.Options{})
		d := &diary{}
		_, err := inf.AddEventHandler(clientgo.KeyHandlerFuncs{
			AddFunc:    func(name cache.ObjectName, initial bool) { d.note("add %s %v", name, initial) },
			DeleteFunc: func(name cache.ObjectName) { d.note("delete %s", name) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
			t.Fatal(err)
		}
		defer run(t, inf)()
		if err := w.client.CoreV1().Pods("a").Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got, want := d.read(), []string{"add a/one true", "add a/two true", "delete a/one"}; !slices.Equal(got, want) {
			t.Errorf("the handler got %q, want %q", got, want)
		}
		if h, _ := clientgo.HealthOf(inf); h.Stats.Decodes != 0 {
			t.Errorf("%d objects were decoded", h.Stats.Decodes)
		}
	})
}

// TestNotAccelerated: where the tunnel cannot be used, client-go's informer does the
// work, and health says why.
func TestNotAccelerated(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one")
		unwrapped, err := kubernetes.NewForConfig(w.server.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		old := &cache.ListWatch{
			//lint:ignore SA1019 programs still have them
			ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
				return w.client.CoreV1().Pods("").List(context.Background(), o)
			},
			//lint:ignore SA1019 programs still have them
			WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) {
				return w.client.CoreV1().Pods("").Watch(context.Background(), o)
			},
		}
		handled := coreinformers.NewPodInformer(w.client, "", 0, nil)
		if _, err := handled.AddEventHandler(&diary{}); err != nil {
			t.Fatal(err)
		}
		reasonOfFake := "ignores its context"
		if _, ok := any(fake.NewClientset()).(interface{ IsWatchListSemanticsUnSupported() bool }); ok { // since client-go 0.35
			reasonOfFake = "fake"
		}
		for reason, inf := range map[string]cache.SharedIndexInformer{
			"wrapped":       clientgo.Adopt(coreinformers.NewPodInformer(unwrapped, "", 0, nil), clientgo.Options{}),
			reasonOfFake:    clientgo.Adopt(coreinformers.NewPodInformer(fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"}}), "", 0, nil), clientgo.Options{}),
			"no context":    clientgo.NewSharedIndexInformer(old, &corev1.Pod{}, cache.SharedIndexInformerOptions{}, clientgo.Options{}),
			"Options.Stock": w.pods(clientgo.Options{Stock: true}),
			"handlers":      clientgo.Adopt(handled, clientgo.Options{}),
		} {
			d := &diary{}
			if _, err := inf.AddEventHandler(d); err != nil {
				t.Fatal(err)
			}
			stop := run(t, inf)
			synctest.Wait()
			h, ok := clientgo.HealthOf(inf)
			if !ok || h.Accelerated || !strings.Contains(h.Reason, reason) {
				t.Errorf("%s: health is %+v (%v), want it not accelerated for this reason", reason, h, ok)
			}
			if keys := inf.GetIndexer().ListKeys(); !slices.Equal(keys, []string{"a/one"}) || !slices.Equal(d.read(), []string{"add one true"}) {
				t.Errorf("%s: the store has %q, the handler got %q", reason, keys, d.read())
			}
			stop()
		}
	})
}

// shutDown removes a handler and waits for its last call, as ShutDownEventHandler of
// client-go 0.37 does. Client-go 0.36 lacks that function.
func shutDown(inf cache.SharedIndexInformer, reg cache.ResourceEventHandlerRegistration) error {
	err := inf.RemoveEventHandler(reg)
	<-reg.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan()
	return err
}

// TestForms: unstructured objects have a kind, objects of built-in types have none, and
// managedFields are there unless the options drop them.
func TestForms(t *testing.T) {
	for _, drop := range []bool{false, true} {
		bubble(t, func(t *testing.T, w *world) {
			managed := []metav1.ManagedFieldsEntry{{Manager: "me", Operation: metav1.ManagedFieldsOperationUpdate, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{}`)}}}
			_, err := w.server.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one", ManagedFields: managed}})
			if err != nil {
				t.Fatal(err)
			}
			cfg := clientgo.Wrap(w.server.RESTConfig())
			inf := w.pods(clientgo.Options{DropManagedFields: drop})
			defer run(t, inf)()
			obj, _, err := inf.GetStore().GetByKey("a/one")
			if err != nil {
				t.Fatal(err)
			}
			pod := obj.(*corev1.Pod)
			if pod.Kind != "" || (len(pod.ManagedFields) == 0) != drop {
				t.Errorf("kind %q, managed fields %v", pod.Kind, pod.ManagedFields)
			}
			client, err := dynamic.NewForConfig(cfg)
			if err != nil {
				t.Fatal(err)
			}
			pods := corev1.SchemeGroupVersion.WithResource("pods")
			generic := clientgo.Adopt(dynamicinformer.NewFilteredDynamicInformer(client, pods, "", 0, nil, nil).Informer(), clientgo.Options{})
			defer run(t, generic)()
			u, _, err := generic.GetStore().GetByKey("a/one")
			if err != nil || u.(*unstructured.Unstructured).GetKind() != "Pod" || u.(*unstructured.Unstructured).GetAPIVersion() != "v1" {
				t.Errorf("the unstructured object is %v, %v", u, err)
			}
		})
	}
}

// TestSecondRun: a second run ends at once, and changes nothing.
func TestSecondRun(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one")
		inf := w.pods(quiet)
		defer run(t, inf)()
		inf.RunWithContext(t.Context())
		if inf.IsStopped() || len(inf.GetStore().ListKeys()) != 1 {
			t.Error("the second run stopped the informer")
		}
		if err := inf.AddIndexers(cache.Indexers{"node": cache.MetaNamespaceIndexFunc}); err == nil {
			t.Error("a second index of the same name was added")
		}
	})
}

// TestShortLife: a handler that lags gets no events of an object that was created and
// deleted in the meantime.
func TestShortLife(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		opts := quiet
		opts.Backlog = 2
		inf := w.pods(opts)
		d := &diary{}
		held := make(chan struct{})
		_, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { d.OnAdd(obj, false); <-held }, UpdateFunc: d.OnUpdate, DeleteFunc: d.OnDelete,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer run(t, inf)()
		w.create("a/first")
		synctest.Wait()
		w.create("a/x", "a/y", "a/z") // more than the backlog, in one batch or in several
		synctest.Wait()
		w.create("a/short")
		synctest.Wait()
		if err := w.client.CoreV1().Pods("a").Delete(t.Context(), "short", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		close(held)
		synctest.Wait()
		got := d.read()
		slices.Sort(got)
		if want := []string{"add first false", "add x false", "add y false", "add z false"}; !slices.Equal(got, want) {
			t.Errorf("the handler got %q, want %q", got, want)
		}
	})
}

// TestHandlersMissNothing: a handler that was added before the start gets an object of the
// first list even if the object is deleted before the handler runs.
func TestHandlersMissNothing(t *testing.T) {
	for range 50 {
		bubble(t, func(t *testing.T, w *world) {
			w.create("a/one")
			inf := w.pods(clientgo.Options{})
			d := &diary{}
			for range 16 {
				if _, err := inf.AddEventHandler(d); err != nil {
					t.Fatal(err)
				}
			}
			defer run(t, inf)()
			if err := w.client.CoreV1().Pods("a").Delete(t.Context(), "one", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := d.read(); len(got) != 32 {
				t.Fatalf("16 handlers got %d events, want 32: %q", len(got), got)
			}
		})
	}
}

// TestKeptForReaders: an informer packs tiny objects only if no handler and no index reads
// them.
func TestKeptForReaders(t *testing.T) {
	byNode := cache.Indexers{"node": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil }}
	for _, c := range []struct {
		what    string
		handler cache.ResourceEventHandler
		indexes cache.Indexers
		packed  bool
	}{
		{"a handler of names", clientgo.KeyHandlerFuncs{}, nil, true},
		{"an index by namespace", clientgo.KeyHandlerFuncs{}, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, true},
		{"a handler that reads", cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) {}}, nil, false},
		{"an index that reads", clientgo.KeyHandlerFuncs{}, byNode, false},
	} {
		bubble(t, func(t *testing.T, w *world) {
			w.create("a/one")
			inf := clientgo.Adopt(coreinformers.NewPodInformer(w.client, metav1.NamespaceAll, 0, c.indexes), clientgo.Options{})
			if _, err := inf.AddEventHandler(c.handler); err != nil {
				t.Fatal(err)
			}
			defer run(t, inf)()
			if health, _ := clientgo.HealthOf(inf); (health.Stats.HeldBytes > 0) != c.packed {
				t.Errorf("%s: %d bytes are held packed, want packed to be %t", c.what, health.Stats.HeldBytes, c.packed)
			}
		})
	}
}
