package informer_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TestWritesBehindFieldSelectors: an informer follows a written object exactly if the server
// selects it.
func TestWritesBehindFieldSelectors(t *testing.T) {
	queue := apitest.Type{Group: "example.com", Version: "v1", Kind: "Queue", Namespaced: true, SelectableFields: []string{"spec.tier"}}
	_, cluster := serve(t, apitest.Config{Types: []apitest.Type{queue}})
	free, bound := pod("free"), pod("bound")
	bound.Spec.NodeName, bound.Spec.HostNetwork = "n1", true
	for _, selector := range []string{
		"", "metadata.name=free", "metadata.name!=free", "metadata.namespace=default", "metadata.namespace=other,metadata.name=free",
		"spec.nodeName=n1", "spec.nodeName!=n1", "spec.nodeName=", "spec.hostNetwork=true", "spec.hostNetwork=false,metadata.name=free", "status.phase!=Running",
	} {
		checkFollows(t, cluster, selector, kube.ClientConfig{}, informer.Config{}, free, bound)
		checkFollows(t, cluster, selector, kube.ClientConfig{Resource: "pods"}, informer.Config{Resource: "pods"}, untyped(bound))
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	for _, selector := range []string{"spec.unschedulable=true", "spec.unschedulable=false"} {
		checkFollows(t, cluster, selector, kube.ClientConfig{}, informer.Config{}, node)
	}
	of := func(name string, spec map[string]any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		u.SetGroupVersionKind(queue.GroupVersionKind())
		u.SetNamespace("default")
		u.SetName(name)
		return u
	}
	for _, selector := range []string{"spec.tier=gold", "spec.tier!=gold", "spec.tier="} {
		checkFollows(t, cluster, selector, kube.ClientConfig{Resource: "queues"}, informer.Config{Resource: "queues"},
			of("gold", map[string]any{"tier": "gold"}), of("none", map[string]any{}))
	}
}

// untyped returns a Pod as a program without its Go type has it.
func untyped(p *corev1.Pod) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: must(runtime.DefaultUnstructuredConverter.ToUnstructured(p))}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	return u
}

// runUntilSynced runs an informer until stop is called, and waits until it is synced.
func runUntilSynced(t *testing.T, inf interface {
	Run(context.Context) error
	WaitForSync(context.Context) error
},
) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = inf.Run(ctx)
	}()
	if err := inf.WaitForSync(patience.Context(t, "the informer is synced")); err != nil {
		t.Fatal(err)
	}
	return func() {
		cancel()
		<-done
	}
}

// checkFollows creates objects, compares Follows with a list of the server, and deletes them.
func checkFollows[T any, P kube.Object[T]](t *testing.T, cluster *kube.Cluster, selector string, of kube.ClientConfig, cfg informer.Config, objects ...*T) {
	t.Helper()
	cfg.FieldSelector = selector
	inf := must(informer.Watch[T](cluster, cfg))
	stop := runUntilSynced(t, inf)
	defer stop()
	objs := must(kube.For[T, P](cluster, of))
	var written []kube.Written
	ctx := kube.WithWrites(t.Context(), func(w kube.Written) { written = append(written, w) })
	for _, obj := range objects {
		if _, err := objs.Create(ctx, obj); err != nil {
			t.Fatal(err)
		}
	}
	selected := map[wire.Key]bool{}
	for obj, err := range objs.List(t.Context(), kube.Where{FieldSelector: selector}) {
		if err != nil {
			t.Fatal(err)
		}
		meta := any(obj).(metav1.Object)
		selected[wire.Key{Namespace: meta.GetNamespace(), Name: meta.GetName()}] = true
	}
	for _, w := range written {
		if got := inf.Follows(w); got != selected[w.Key] {
			t.Errorf("%T behind %q: Follows(%s) = %v, the server selects it: %v", objects[0], selector, w.Key, got, selected[w.Key])
		}
		if err := objs.Delete(t.Context(), w.Key, kube.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnknownFieldOfWrites: an object counts as followed if the answer to the write does not
// show the selected field, and the log has it once.
func TestUnknownFieldOfWrites(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	var log bytes.Buffer
	inf := must(informer.Watch[batchv1.Job](cluster, informer.Config{FieldSelector: "status.successful=1", Logger: slog.New(slog.NewTextHandler(&log, nil))}))
	stop := runUntilSynced(t, inf)
	var written []kube.Written
	ctx := kube.WithWrites(t.Context(), func(w kube.Written) { written = append(written, w) })
	jobs := must(kube.For[batchv1.Job](cluster, kube.ClientConfig{}))
	for i := range 2 {
		if _, err := jobs.Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("a", i)}}); err != nil {
			t.Fatal(err)
		}
		if !inf.Follows(written[i]) {
			t.Error("Follows = false, want true for a field that is not known")
		}
	}
	stop()
	if got := strings.Count(log.String(), "field=status.successful"); got != 1 {
		t.Errorf("got %d lines about the field, want 1: %s", got, log.String())
	}
}
