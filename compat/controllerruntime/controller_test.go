package controllerruntime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clientgo "k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/internal/patience"
)

// watched is our queue, with the requests that workers got from it.
type watched struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	mu  sync.Mutex
	got map[string][]int // the priorities, by name
}

func (w *watched) GetWithPriority() (reconcile.Request, int, bool) {
	item, priority, shutdown := w.PriorityQueue.GetWithPriority()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !shutdown {
		w.got[item.Name] = append(w.got[item.Name], priority)
	}
	return item, priority, shutdown
}

// reconciler labels ConfigMaps, and fails at its first try of each.
type reconciler struct {
	client client.Client
	seen   chan string

	mu     sync.Mutex
	active map[string]bool
	tried  map[string]bool
	wrong  []string
}

func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	r.mu.Lock()
	if r.active[req.Name] {
		r.wrong = append(r.wrong, req.Name+" is handled twice at a time")
	}
	r.active[req.Name] = true
	again := !r.tried[req.Name]
	r.tried[req.Name] = true
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.active, req.Name)
	}()
	if again {
		return reconcile.Result{}, errors.New("not yet")
	}
	var cm corev1.ConfigMap
	if err := r.client.Get(ctx, req.NamespacedName, &cm); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if cm.Labels["seen"] == "yes" {
		r.seen <- req.Name
		return reconcile.Result{}, nil
	}
	cm.Labels = map[string]string{"seen": "yes"}
	return reconcile.Result{}, r.client.Update(ctx, &cm)
}

// await receives names until all have come.
func (r *reconciler) await(t *testing.T, names ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, name := range names {
		missing[name] = true
	}
	for len(missing) > 0 {
		name := patience.Receive(t, "a reconcile", r.seen, func() string { return fmt.Sprintf("missing are %v", missing) })
		delete(missing, name)
	}
}

func newManager(t *testing.T) manager.Manager {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	url, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m, err := manager.New(&rest.Config{Host: url, QPS: -1}, manager.Options{Metrics: server.Options{BindAddress: "0"}, Logger: logr.Discard()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

// TestController: a controller of controller-runtime works with our queue: objects
// that were there come with the low priority, and failures come again with theirs.
func TestController(t *testing.T) {
	m := newManager(t)
	direct, err := client.New(m.GetConfig(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("before-%02d", i))
		if err := direct.Create(t.Context(), configMap(names[i])); err != nil {
			t.Fatal(err)
		}
	}
	q := &watched{got: map[string][]int{}}
	r := &reconciler{client: m.GetClient(), seen: make(chan string, 1000), active: map[string]bool{}, tried: map[string]bool{}}
	c, err := controller.New("configmaps", m, controller.Options{
		Reconciler: r, MaxConcurrentReconciles: 3, SkipNameValidation: ptr.To(true),
		NewQueue: func(name string, limiter clientgo.TypedRateLimiter[reconcile.Request]) clientgo.TypedRateLimitingInterface[reconcile.Request] {
			q.PriorityQueue = controllerruntime.NewQueue(name, limiter).(priorityqueue.PriorityQueue[reconcile.Request])
			return q
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Watch(source.Kind(m.GetCache(), configMap(""), &handler.TypedEnqueueRequestForObject[*corev1.ConfigMap]{})); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	r.await(t, names...)
	if err := direct.Create(t.Context(), configMap("after")); err != nil {
		t.Error(err)
	}
	r.await(t, "after")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(r.wrong) > 0 {
		t.Error(r.wrong)
	}
	for _, name := range names {
		if p := q.got[name]; len(p) < 3 || p[0] != handler.LowPriority || p[1] != handler.LowPriority || p[2] != 0 {
			t.Errorf("%s came with priorities %v", name, p)
		}
	}
	if p := q.got["after"]; len(p) < 3 || p[0] != 0 || p[1] != 0 {
		t.Errorf("it came with priorities %v", p)
	}
}

// TestOneLine: the field of the options takes the function as it is.
func TestOneLine(t *testing.T) {
	o := controller.Options{NewQueue: controllerruntime.NewQueue[reconcile.Request]}
	q := o.NewQueue("line", nil)
	q.AddRateLimited(reconcile.Request{})
	if n := q.NumRequeues(reconcile.Request{}); n != 1 {
		t.Error(n)
	}
	q.ShutDown()
}
