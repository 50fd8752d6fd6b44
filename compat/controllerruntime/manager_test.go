package controllerruntime_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/controllerruntime"
)

// serverWith returns the configuration of an API server with some ConfigMaps.
func serverWith(t *testing.T, names ...string) *rest.Config {
	t.Helper()
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	for _, name := range names {
		if _, err := srv.Create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	return srv.RESTConfig()
}

// startManager runs a manager until the test ends.
func startManager(t *testing.T, m manager.Manager) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if !m.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cache is not synced")
	}
}

func newCachedManager(t *testing.T, cfg *rest.Config) manager.Manager {
	t.Helper()
	var options client.CacheOptions
	if field := consistency(&options); field.IsValid() {
		yes := true
		field.Set(reflect.ValueOf(&yes))
	}
	m, err := manager.New(cfg, manager.Options{
		NewCache: controllerruntime.NewCache,
		Client:   client.Options{Cache: &options},
		Metrics:  server.Options{BindAddress: "0"},
		Logger:   logr.Discard(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// consistency is the option of controller-runtime 0.25 that makes reads wait for the client's
// own writes.
func consistency(o *client.CacheOptions) reflect.Value {
	return reflect.ValueOf(o).Elem().FieldByName("EnableReadYourWritesConsistency")
}

// TestReadYourWrites: a client reads what it has just written, many times in a row.
func TestReadYourWrites(t *testing.T) {
	if !consistency(&client.CacheOptions{}).IsValid() {
		t.Log("this version of controller-runtime has no such option")
		return
	}
	m := newCachedManager(t, serverWith(t, "one"))
	startManager(t, m)
	c := m.GetClient()
	key := client.ObjectKey{Namespace: "a", Name: "one"}
	for i := range 200 {
		var cm corev1.ConfigMap
		if err := c.Get(t.Context(), key, &cm); err != nil {
			t.Fatal(err)
		}
		cm.Data = map[string]string{"turn": string(rune('a' + i%26))}
		if err := c.Update(t.Context(), &cm); err != nil { // a conflict, had the cache been behind
			t.Fatalf("update %d: %v", i, err)
		}
	}
}

// TestSeveralClusters: one controller follows the caches of two clusters.
func TestSeveralClusters(t *testing.T) {
	m := newCachedManager(t, serverWith(t, "here"))
	other, err := cluster.New(serverWith(t, "there"), func(o *cluster.Options) { o.NewCache = controllerruntime.NewCache })
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(other); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 10)
	skip := true
	c, err := controller.New("several", m, controller.Options{
		SkipNameValidation: &skip,
		NewQueue:           controllerruntime.NewQueue[reconcile.Request],
		Reconciler: reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
			seen <- r.Name
			return reconcile.Result{}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, cl := range []cluster.Cluster{m, other} {
		if err := c.Watch(source.Kind(cl.GetCache(), client.Object(&corev1.ConfigMap{}), &handler.EnqueueRequestForObject{})); err != nil {
			t.Fatal(err)
		}
	}
	startManager(t, m)
	got := map[string]bool{<-seen: true, <-seen: true}
	if !got["here"] || !got["there"] {
		t.Errorf("the controller got %v", got)
	}
}
