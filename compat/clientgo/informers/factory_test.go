package informers_test

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/informers"
	_ "github.com/vedette-io/vedette/internal/stocktime" // stock informers run in bubbles
)

// TestFactory: a factory with an ordinary clientset runs its informers on the engine, by
// accessors, by resource, and with a custom function.
func TestFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := apitest.New(apitest.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		client, err := kubernetes.NewForConfig(srv.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
		if _, err := client.CoreV1().Pods("a").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		f := informers.NewSharedInformerFactory(client, 0)
		pods := f.Core().V1().Pods()
		generic, err := f.ForResource(corev1.SchemeGroupVersion.WithResource("pods"))
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := f.ForResource(corev1.SchemeGroupVersion.WithResource("nodes"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		lister := pods.Lister()
		f.Start(ctx.Done())
		synced := f.WaitForCacheSync(ctx.Done())
		if !synced[reflect.TypeFor[*corev1.Pod]()] || !synced[reflect.TypeFor[*corev1.Node]()] {
			t.Errorf("got %+v, want Pods and Nodes synced", synced)
		}
		for name, inf := range map[string]cache.SharedIndexInformer{"pods": pods.Informer(), "pods by resource": generic.Informer(), "nodes": nodes.Informer()} {
			if h, ok := clientgo.HealthOf(inf); !ok || !h.Accelerated || h.Engine.Ready() != nil {
				t.Errorf("%s: got health %+v (%v), want it accelerated and ready", name, h, ok)
			}
		}
		if all, err := lister.List(labels.Everything()); err != nil || len(all) != 1 || all[0].Name != "one" {
			t.Errorf("the lister returned %v, %v", all, err)
		}
		if obj, err := generic.Lister().ByNamespace("a").Get("one"); err != nil || obj.(*corev1.Pod).Name != "one" {
			t.Errorf("the generic lister returned %v, %v", obj, err)
		}
		cancel()
		f.Shutdown()
	})
}

// TestFake: a fake clientset gets client-go's informers, and health says why.
func TestFake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"}})
		f := informers.NewSharedInformerFactory(client, 0)
		inf := f.Core().V1().Pods().Informer()
		ctx, cancel := context.WithCancel(t.Context())
		f.Start(ctx.Done())
		f.WaitForCacheSync(ctx.Done())
		if keys := inf.GetStore().ListKeys(); len(keys) != 1 || keys[0] != "a/one" {
			t.Errorf("the store has %q", keys)
		}
		if h, ok := clientgo.HealthOf(inf); !ok || h.Accelerated || h.Reason == "" {
			t.Errorf("health is %+v (%v), want it not accelerated, with a reason", h, ok)
		}
		cancel()
		f.Shutdown()
	})
}
