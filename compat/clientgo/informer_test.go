package clientgo_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/internal/synced"
	"github.com/vedette-io/vedette/informer"
)

// world is an API server and a client that the tunnel reaches.
type world struct {
	t       *testing.T
	server  *apitest.Server
	client  kubernetes.Interface
	padding string // an annotation of the objects that create makes
}

func newWorld(t *testing.T) *world {
	t.Helper()
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(clientgo.Wrap(srv.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, srv, client, ""}
}

func (w *world) create(objects ...string) {
	w.t.Helper()
	for _, name := range objects {
		namespace, name, _ := strings.Cut(name, "/")
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}, Annotations: map[string]string{"padding": w.padding}},
			Spec:       corev1.PodSpec{NodeName: "node-" + name, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		if _, err := w.client.CoreV1().Pods(namespace).Create(w.t.Context(), pod, metav1.CreateOptions{}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// pods returns an informer of pods on the engine.
func (w *world) pods(opts clientgo.Options) cache.SharedIndexInformer {
	return clientgo.Adopt(coreinformers.NewPodInformer(w.client, metav1.NamespaceAll, 0, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"node":               func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil },
	}), opts)
}

// run runs an informer until the returned function is called.
func run(t *testing.T, inf cache.SharedIndexInformer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		inf.RunWithContext(ctx)
	}()
	synced.Wait(ctx, inf)
	return func() { cancel(); <-done }
}

// diary is a handler that records its calls.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

func (d *diary) OnAdd(obj any, initial bool) { d.note("add %s %v", obj.(*corev1.Pod).Name, initial) }

func (d *diary) OnUpdate(old, obj any) {
	d.note("update %s %q %q", obj.(*corev1.Pod).Name, old.(*corev1.Pod).Status.Phase, obj.(*corev1.Pod).Status.Phase)
}

func (d *diary) OnDelete(obj any) {
	if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		d.note("missed %s %s", last.Key, last.Obj.(*corev1.Pod).Name)
		return
	}
	d.note("delete %s", obj.(*corev1.Pod).Name)
}

func TestHandlersAndStore(t *testing.T) {
	for _, storage := range []informer.Storage{informer.Packed, informer.Live} {
		t.Run(fmt.Sprint(storage), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { testHandlersAndStore(t, storage) }) })
	}
}

func testHandlersAndStore(t *testing.T, storage informer.Storage) {
	w := newWorld(t)
	defer w.server.Close()
	w.create("a/one", "b/two")
	inf := w.pods(clientgo.Options{Storage: storage})
	early := &diary{}
	reg, err := inf.AddEventHandler(early)
	if err != nil {
		t.Fatal(err)
	}
	defer run(t, inf)()
	synced.Wait(t.Context(), reg)
	w.create("a/three")
	pod, err := w.client.CoreV1().Pods("a").Get(t.Context(), "one", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodRunning
	if _, err := w.client.CoreV1().Pods("a").UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.client.CoreV1().Pods("b").Delete(t.Context(), "two", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	want := []string{"add one true", "add two true", "add three false", `update one "Pending" "Running"`, "delete two"}
	if got := early.read(); !slices.Equal(got, want) {
		t.Errorf("the handler got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	late := &diary{}
	reg, err = inf.AddEventHandler(late)
	if err != nil {
		t.Fatal(err)
	}
	synced.Wait(t.Context(), reg)
	if got, want := late.read(), []string{"add one true", "add three true"}; !slices.Equal(got, want) {
		t.Errorf("a late handler got %q, want %q", got, want)
	}
	checkQueries(t, inf)
	health, ok := clientgo.HealthOf(inf)
	if !ok || !health.Accelerated || health.Engine.Ready() != nil {
		t.Errorf("health is %+v (%v), want it accelerated and ready", health, ok)
	}
}

// checkQueries checks the store of the informer in testHandlersAndStore.
func checkQueries(t *testing.T, inf cache.SharedIndexInformer) {
	t.Helper()
	x := inf.GetIndexer()
	if got, want := x.ListKeys(), []string{"a/one", "a/three"}; !slices.Equal(got, want) {
		t.Errorf("ListKeys returned %q, want %q", got, want)
	}
	obj, ok, err := x.GetByKey("a/one")
	if err != nil || !ok || obj.(*corev1.Pod).Status.Phase != corev1.PodRunning {
		t.Errorf("GetByKey returned %v, %v, %v; want a/one, Running", obj, ok, err)
	}
	if again, _, _ := x.GetByKey("a/one"); again != obj {
		t.Error("two readers of one revision got two objects")
	}
	if keys, err := x.IndexKeys("node", "node-three"); err != nil || !slices.Equal(keys, []string{"a/three"}) {
		t.Errorf("IndexKeys returned %q, %v; want a/three", keys, err)
	}
	if all, err := x.ByIndex("node", "node-one"); err != nil || len(all) != 1 || all[0].(*corev1.Pod).Name != "one" {
		t.Errorf("ByIndex returned %v, %v; want the Pod one", all, err)
	}
	pods, err := corelisters.NewPodLister(x).Pods("a").List(labels.Everything())
	if err != nil || len(pods) != 2 {
		t.Errorf("the lister returned %v, %v", pods, err)
	}
	if _, err := corelisters.NewPodLister(x).Pods("b").Get("two"); err == nil {
		t.Error("the lister has a deleted pod")
	}
	if inf.LastSyncResourceVersion() == "" || !inf.GetController().HasSynced() {
		t.Error("the informer has no version, or its controller is not synced")
	}
}
