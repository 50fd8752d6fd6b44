package kube_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Generic has a name that is not the name of a kind.
type Generic[T any] struct {
	TrainJob
	Of T
}

// Job has the name of a built-in kind and of a custom kind.
type Job struct{ TrainJob }

// Unsendable has a field that JSON cannot encode.
type Unsendable struct {
	TrainJob
	Spec chan int `json:"spec"`
}

func makes[T any, P kube.Object[T]](cluster *kube.Cluster, cfg kube.ClientConfig) error {
	_, err := kube.For[T, P](cluster, cfg)
	return err
}

func TestIllegalClients(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	twice := runtime.NewScheme()
	twice.AddKnownTypeWithName(trainJobs.GroupVersionKind(), &Registered{})
	twice.AddKnownTypeWithName(trainJobs.GroupVersionKind().GroupVersion().WithKind("Other"), &Registered{})
	for want, err := range map[string]error{
		"the cluster of the client is nil": makes[corev1.Pod](nil, kube.ClientConfig{}),
		"-1 objects":                       makes[corev1.Pod](cluster, kube.ClientConfig{PageSize: -1}),
		"more than 128 bytes":              makes[corev1.Pod](cluster, kube.ClientConfig{FieldManager: strings.Repeat("x", 129)}),
		"Unstructured can hold":            makes[unstructured.Unstructured](cluster, kube.ClientConfig{}),
		"PartialObjectMetadata c":          makes[metav1.PartialObjectMetadata](cluster, kube.ClientConfig{}),
		"not the name of a kind":           makes[Generic[int]](cluster, kube.ClientConfig{}),
		"does not name v1.Pod":             makes[corev1.Pod](cluster, kube.ClientConfig{Resource: "jobs.batch"}),
		"the scheme maps":                  makes[Registered](cluster, kube.ClientConfig{Scheme: twice}),
	} {
		if !errcode.Is(err, errcode.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

// TestIllegalRequests checks that invalid requests are rejected before they are sent, and
// that no method panics.
func TestIllegalRequests(t *testing.T) {
	volcano := apitest.Type{Group: "batch.volcano.sh", Version: "v1", Kind: "Job", Namespaced: true}
	srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs, volcano}})
	ctx := t.Context()
	pods := client[corev1.Pod](t, cluster, kube.ClientConfig{})
	managed := client[corev1.Pod](t, cluster, kube.ClientConfig{FieldManager: "me"})
	nodes := client[corev1.Node](t, cluster, kube.ClientConfig{})
	anything := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "pods"})
	meta := client[metav1.PartialObjectMetadata](t, cluster, kube.ClientConfig{Resource: "pods"})
	none, zero := (*kube.Client[corev1.Pod])(nil), &kube.Client[corev1.Pod]{}
	read := pod("ml", "x", "one")
	read.ResourceVersion = "5"
	nothing := func(*corev1.Pod) error { return nil }
	merge := kube.MergePatch(map[string]string{})
	for _, c := range []struct {
		want string
		do   func() (any, error)
	}{
		{"kube.For", func() (any, error) { return none.Get(ctx, ml) }},
		{"kube.For", func() (any, error) { return zero.Get(ctx, ml) }},
		{"kube.For", func() (any, error) { return none.Create(ctx, read) }},
		{"kube.For", func() (any, error) { return none.Mutate(ctx, ml, nothing) }},
		{"kube.For", func() (any, error) { return none.Status().Patch(ctx, ml, merge) }},
		{"kube.For", func() (any, error) { return kube.StatusClient[corev1.Pod]{}.Update(ctx, read) }},
		{"kube.For", func() (any, error) { return none.Apply(ctx, read, kube.ForceConflicts) }},
		{"kube.For", func() (any, error) { return none.ApplyConfiguration(ctx, nil, kube.ForceConflicts) }},
		{"kube.For", func() (any, error) { return none.Scale(ctx, ml) }},
		{"kube.For", func() (any, error) { return none.DeleteAll(ctx, kube.Where{}, kube.DeleteOptions{}) }},
		{"kube.For", func() (any, error) { return kube.Collect(none.List(ctx, kube.Where{})) }},
		{"kube.For", func() (any, error) { return nil, firstError(none.Watch(ctx, kube.Where{}, 0)) }},
		{"context is nil", func() (any, error) { return pods.Get(nilContext, ml) }},
		{"context is nil", func() (any, error) { return cluster.Do(nilContext, kube.Request{Path: "/x"}) }},
		{"object is nil", func() (any, error) { return pods.Create(ctx, nil) }},
		{"object is nil", func() (any, error) { return anything.Update(ctx, nil) }},
		{"has no metadata", func() (any, error) { return anything.Create(ctx, &unstructured.Unstructured{}) }},
		{"has no metadata", func() (any, error) {
			return anything.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"metadata": 5}})
		}},
		{"name of the object is empty", func() (any, error) { return pods.Create(ctx, pod("ml", "", "")) }},
		{"name of the object is empty", func() (any, error) { return pods.Get(ctx, wire.Key{Namespace: "ml"}) }},
		{"name of the object is empty", func() (any, error) { return pods.Update(ctx, pod("ml", "", "")) }},
		{"name of the object is empty", func() (any, error) { return managed.Apply(ctx, pod("ml", "", ""), kube.ForceConflicts) }},
		{`the name "../../nodes/x" is not`, func() (any, error) {
			return pods.Get(ctx, wire.Key{Namespace: "ml", Name: "../../nodes/x"})
		}},
		{`the namespace ".." is not`, func() (any, error) { return pods.Get(ctx, wire.Key{Namespace: "..", Name: "x"}) }},
		{`the namespace "a/b" is not`, func() (any, error) { return kube.Collect(pods.List(ctx, kube.Where{Namespace: "a/b"})) }},
		{"set the namespace", func() (any, error) { return pods.Create(ctx, pod("", "x", "")) }},
		{"set the namespace", func() (any, error) { return pods.Get(ctx, wire.Key{Name: "x"}) }},
		{"set the namespace", func() (any, error) { return pods.DeleteAll(ctx, kube.Where{}, kube.DeleteOptions{}) }},
		{"are cluster-scoped", func() (any, error) { return nodes.Get(ctx, ml) }},
		{"are cluster-scoped", func() (any, error) {
			return nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "x"}})
		}},
		{"are cluster-scoped", func() (any, error) { return kube.Collect(nodes.List(ctx, kube.Where{Namespace: "ml"})) }},
		{"label selector", func() (any, error) { return kube.Collect(pods.List(ctx, kube.Where{LabelSelector: "a in"})) }},
		{"has a resourceVersion", func() (any, error) { return pods.Create(ctx, read) }},
		{"no resourceVersion", func() (any, error) { return pods.Update(ctx, pod("ml", "x", "")) }},
		{"but the client is for", func() (any, error) {
			return pods.Create(ctx, &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Job", APIVersion: "batch/v1"}})
		}},
		{"but the client is for", func() (any, error) {
			return managed.ApplyConfiguration(ctx, corev1apply.ConfigMap("x", "ml"), kube.ForceConflicts)
		}},
		{"configuration is nil", func() (any, error) {
			return managed.ApplyConfiguration(ctx, (*corev1apply.PodApplyConfiguration)(nil), kube.ForceConflicts)
		}},
		{"ClientConfig.FieldManager", func() (any, error) { return pods.Apply(ctx, pod("ml", "x", ""), kube.ForceConflicts) }},
		{"value 7 of Conflicts", func() (any, error) { return managed.Apply(ctx, pod("ml", "x", ""), 7) }},
		{"cannot write whole objects", func() (any, error) { return meta.Create(ctx, &metav1.PartialObjectMetadata{}) }},
		{"the patch is empty", func() (any, error) { return pods.Patch(ctx, ml, kube.Patch{}) }},
		{"must begin with [", func() (any, error) { return pods.Patch(ctx, ml, kube.JSONPatch(map[string]string{})) }},
		{"must begin with {", func() (any, error) { return pods.Patch(ctx, ml, kube.MergePatch([]byte("nonsense"))) }},
		{"cannot be encoded", func() (any, error) { return pods.Patch(ctx, ml, kube.MergePatch(make(chan int))) }},
		{"function that changes", func() (any, error) { return pods.Mutate(ctx, ml, nil) }},
		{"-1 replicas", func() (any, error) { return pods.SetScale(ctx, ml, -1) }},
		{"the propagation 9 is not valid", func() (any, error) { return nil, pods.Delete(ctx, ml, kube.DeleteOptions{Propagation: 9}) }},
		{"whole seconds", func() (any, error) {
			return nil, pods.Delete(ctx, ml, kube.DeleteOptions{Grace: ptr.To(time.Millisecond)})
		}},
		{"identifies one object", func() (any, error) {
			return pods.DeleteAll(ctx, kube.Where{Namespace: "ml"}, kube.DeleteOptions{UID: "u"})
		}},
		{"it may be one of jobs.v1.batch, jobs.v1.batch.volcano.sh", func() (any, error) {
			return client[Job](t, cluster, kube.ClientConfig{}).Get(ctx, ml)
		}},
		{"cannot be encoded", func() (any, error) {
			c := client[Unsendable](t, cluster, kube.ClientConfig{Resource: "trainjobs"})
			return c.Create(ctx, &Unsendable{TrainJob: *trainJob("x"), Spec: make(chan int)})
		}},
		{"begin it with /", func() (any, error) { return cluster.Do(ctx, kube.Request{Path: "x"}) }},
	} {
		_, err := c.do()
		if !errcode.Is(err, errcode.Invalid) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	for _, r := range srv.Requests() {
		if r.Verb != apitest.VerbOther {
			t.Errorf("the server received a request to %s %s", r.Verb, r.Path)
		}
	}
	if _, err := client[batchv1.Job](t, cluster, kube.ClientConfig{}).Get(ctx, ml); err == nil || errcode.Is(err, errcode.Invalid) {
		t.Errorf("get the built-in type of an ambiguous kind: got %v", err)
	}
}

// nilContext is a nil context, which a caller may pass by mistake.
var nilContext context.Context
