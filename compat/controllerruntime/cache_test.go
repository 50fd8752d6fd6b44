package controllerruntime_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/controllerruntime"
)

// newServer returns an API server with 20 pods in two namespaces.
func newServer(t *testing.T) *apitest.Server {
	t.Helper()
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	pods, err := kubernetes.NewForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: []string{"a", "b"}[i%2], Name: fmt.Sprintf("pod-%02d", i), Labels: map[string]string{"quarter": fmt.Sprint(i % 4)}},
			Spec:       corev1.PodSpec{NodeName: fmt.Sprint("node-", i%5), Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		if _, err := pods.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return srv
}

// start runs a cache until the test ends.
func start(t *testing.T, c cache.Cache) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	if !c.WaitForCacheSync(ctx) {
		t.Fatal("the cache is not synced")
	}
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestReads(t *testing.T) {
	srv := newServer(t)
	for name, unsafe := range map[string]bool{"copies": false, "objects in the cache": true} {
		t.Run(name, func(t *testing.T) {
			c, err := controllerruntime.NewCache(srv.RESTConfig(), cache.Options{DefaultUnsafeDisableDeepCopy: &unsafe})
			if err != nil {
				t.Fatal(err)
			}
			err = c.IndexField(t.Context(), &corev1.Pod{}, "spec.nodeName", func(obj client.Object) []string { return []string{obj.(*corev1.Pod).Spec.NodeName} })
			if err != nil {
				t.Fatal(err)
			}
			start(t, c)
			checkTyped(t, c)
			checkOtherForms(t, c)
		})
	}
}

// TestHealth: the health and the report of an informer of the cache are those of the engine,
// and Options.Started tells of each informer.
func TestHealth(t *testing.T) {
	srv := newServer(t)
	started := make(chan string, 1)
	c, err := controllerruntime.NewCacheWith(func(example runtime.Object) clientgo.Options {
		return clientgo.Options{Started: func(reason string) { started <- fmt.Sprintf("%T%s", example, reason) }}
	})(srv.RESTConfig(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start(t, c)
	inf, err := c.GetInformer(t.Context(), &corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	shared := inf.(toolscache.SharedIndexInformer)
	if h, ok := clientgo.HealthOf(shared); !ok || !h.Accelerated || h.Stats.Objects != 20 {
		t.Errorf("HealthOf: %v, accelerated %v, %d objects", ok, h.Accelerated, h.Stats.Objects)
	}
	if row := clientgo.Report(shared)[0]; row.Objects != 20 || row.HeldBytes == 0 || row.Type != "Pod.v1" {
		t.Errorf("Report: %+v", row)
	}
	if who := <-started; who != "*v1.Pod" {
		t.Errorf("Started told %q", who)
	}
}

func checkTyped(t *testing.T, c cache.Cache) {
	t.Helper()
	pod := &corev1.Pod{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "pod-02"}, pod); err != nil || pod.Spec.NodeName != "node-2" {
		t.Errorf("Get returned %v, node %q", err, pod.Spec.NodeName)
	}
	if unsafe, ok := any(client.UnsafeDisableDeepCopy).(client.GetOption); ok { // since controller-runtime 0.22
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "pod-02"}, pod, unsafe); err != nil {
			t.Error(err)
		}
	}
	for name, opts := range map[string]struct {
		opts []client.ListOption
		want int
	}{
		"all":                       {nil, 20},
		"a namespace":               {[]client.ListOption{client.InNamespace("b")}, 10},
		"labels":                    {[]client.ListOption{client.MatchingLabels{"quarter": "1"}}, 5},
		"labels and a limit":        {[]client.ListOption{client.MatchingLabels{"quarter": "1"}, client.Limit(2)}, 2},
		"a field":                   {[]client.ListOption{client.MatchingFields{"spec.nodeName": "node-3"}}, 4},
		"a field in a namespace":    {[]client.ListOption{client.MatchingFields{"spec.nodeName": "node-3"}, client.InNamespace("a")}, 2},
		"unsafe, for this call":     {[]client.ListOption{client.UnsafeDisableDeepCopy}, 20},
		"labels in a namespace":     {[]client.ListOption{client.InNamespace("b"), client.MatchingLabels{"quarter": "1"}}, 5},
		"nothing":                   {[]client.ListOption{client.MatchingLabels{"quarter": "9"}}, 0},
		"a field that has no match": {[]client.ListOption{client.MatchingFields{"spec.nodeName": "node-9"}}, 0},
	} {
		var pods corev1.PodList
		if err := c.List(t.Context(), &pods, opts.opts...); err != nil || len(pods.Items) != opts.want {
			t.Errorf("%s: List returned %d pods, %v, want %d", name, len(pods.Items), err, opts.want)
		}
	}
}

func checkOtherForms(t *testing.T, c cache.Cache) {
	t.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "b", Name: "pod-03"}, u); err != nil || u.GetKind() != "Pod" || u.GetName() != "pod-03" {
		t.Errorf("Get returned %v, %v", u, err)
	}
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "b", Name: "pod-03"}, m); err != nil || m.Kind != "Pod" || m.Labels["quarter"] != "3" {
		t.Errorf("Get returned %v, %v", m, err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	if err := c.List(t.Context(), list, client.MatchingLabels{"quarter": "2"}); err != nil || len(list.Items) != 5 {
		t.Errorf("List returned %d objects, %v", len(list.Items), err)
	}
}

// TestNoElection: a manager starts the cache before it is elected.
func TestNoElection(t *testing.T) {
	c, err := controllerruntime.NewCache(newServer(t).RESTConfig(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := c.(manager.LeaderElectionRunnable); !ok || r.NeedLeaderElection() {
		t.Errorf("%T waits for an election", c)
	}
}

// TestManagedFields: objects have their managedFields, unless options of Vedette drop them.
func TestManagedFields(t *testing.T) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	managed := []metav1.ManagedFieldsEntry{{Manager: "me", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{}}`)}}}
	if _, err := srv.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one", ManagedFields: managed}}); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]struct {
		newCache cache.NewCacheFunc
		want     int
	}{
		"the one line": {controllerruntime.NewCache, 1},
		"no options":   {controllerruntime.NewCacheWith(nil), 1},
		"zero options": {controllerruntime.NewCacheWith(func(runtime.Object) clientgo.Options { return clientgo.Options{} }), 1},
		"dropped":      {controllerruntime.NewCacheWith(func(runtime.Object) clientgo.Options { return clientgo.Options{DropManagedFields: true} }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := run.newCache(srv.RESTConfig(), cache.Options{})
			if err != nil {
				t.Fatal(err)
			}
			start(t, c)
			u, m := &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}
			u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
			m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
			for _, obj := range []client.Object{&corev1.Pod{}, u, m} {
				if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "one"}, obj); err != nil || len(obj.GetManagedFields()) != run.want {
					t.Errorf("%T: %v, managedFields %v, want %d entries", obj, err, obj.GetManagedFields(), run.want)
				}
			}
		})
	}
}
