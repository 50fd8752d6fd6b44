package chaos_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// kind is a type of objects.
type kind struct {
	gvr        schema.GroupVersionResource
	name       string
	namespaced bool
	// held is the percentage of objects that get a finalizer. A pod changes before it is
	// deleted, and the writer can observe the change only with a finalizer.
	held int
	// content fills a new object or changes an existing one. status selects the status.
	content func(r *rand.Rand, u *unstructured.Unstructured, status bool)
	status  bool // it has a status subresource
}

var (
	podKind    = kind{schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "Pod", true, 100, podContent, true}
	mapKind    = kind{schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, "ConfigMap", true, 20, mapContent, false}
	nodeKind   = kind{schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, "Node", false, 0, nodeContent, false}
	widgetKind = kind{schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, "Widget", true, 20, widgetContent, false}
)

func podContent(r *rand.Rand, u *unstructured.Unstructured, status bool) {
	if status {
		u.Object["status"] = map[string]any{"phase": "Running", "message": fmt.Sprint(r.Uint64())}
		return
	}
	container := map[string]any{"name": "main", "image": fmt.Sprint("image:", r.IntN(1000))}
	if all, found, _ := unstructured.NestedSlice(u.Object, "spec", "containers"); found {
		container = all[0].(map[string]any) // the rest is immutable
		container["image"] = fmt.Sprint("image:", r.IntN(1000))
		_ = unstructured.SetNestedSlice(u.Object, []any{container}, "spec", "containers") // it is a slice
		return
	}
	u.Object["spec"] = map[string]any{
		"nodeName": fmt.Sprint("node-", r.IntN(3)), "containers": []any{container}, "schedulerName": "nobody",
		"tolerations": []any{map[string]any{"operator": "Exists"}},
	}
}

func mapContent(r *rand.Rand, u *unstructured.Unstructured, _ bool) {
	size := r.IntN(500)
	if r.IntN(20) == 0 {
		size = 30_000
	}
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	u.Object["data"] = map[string]any{"serial": fmt.Sprint(r.Uint64()), "noise": hex.EncodeToString(noise)}
}

func nodeContent(r *rand.Rand, u *unstructured.Unstructured, _ bool) {
	u.SetAnnotations(map[string]string{"serial": fmt.Sprint(r.Uint64())})
	u.Object["spec"] = map[string]any{"podCIDR": "10.0.0.0/24", "podCIDRs": []any{"10.0.0.0/24"}, "unschedulable": r.IntN(2) == 0}
}

func widgetContent(r *rand.Rand, u *unstructured.Unstructured, _ bool) {
	u.Object["spec"] = map[string]any{
		"count": r.Int64N(1 << 40), "ratio": r.Float64(), "none": nil, "list": []any{"a", int64(1), true, 0.5, map[string]any{"x": "y"}},
	}
}

// writer writes the objects of one kind. Nobody else writes them, so the writer has every
// revision.
type writer struct {
	kind
	client  dynamic.Interface
	random  *rand.Rand
	history *history
	objects map[string]*unstructured.Unstructured // by key, from the last response
	writes  int
}

func (w *writer) in(namespace string) dynamic.ResourceInterface {
	if w.namespaced {
		return w.client.Resource(w.gvr).Namespace(namespace)
	}
	return w.client.Resource(w.gvr)
}

// run writes until stop is closed.
//
// Errors: a request that fails. The writer's server has no faults.
func (w *writer) run(ctx context.Context, stop <-chan struct{}) error {
	tick := time.NewTicker(25 * time.Millisecond) // an input: the pace of the writer
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return nil
		case <-tick.C:
		}
		n := 1
		if w.random.IntN(100) == 0 {
			n = 40 // a burst
		}
		for range n {
			if err := w.write(ctx, fmt.Sprint(prefix, "n", w.random.IntN(2)), fmt.Sprint(prefix, w.random.IntN(25))); err != nil {
				return err
			}
		}
	}
}

// write creates, updates, deletes or recreates an object.
func (w *writer) write(ctx context.Context, namespace, name string) error {
	key := name
	if w.namespaced {
		key = namespace + "/" + name
	}
	obj, there := w.objects[key]
	w.writes++
	switch n := w.random.IntN(10); {
	case !there:
		return w.create(ctx, key, namespace, name)
	case n < 7:
		return w.update(ctx, key, obj)
	case n < 9:
		return w.remove(ctx, key, obj)
	default:
		if err := w.remove(ctx, key, obj); err != nil {
			return err
		}
		return w.create(ctx, key, namespace, name)
	}
}

func (w *writer) create(ctx context.Context, key, namespace, name string) error {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(w.gvr.GroupVersion().WithKind(w.name))
	u.SetName(name)
	w.relabel(u)
	if w.random.IntN(100) < w.held {
		u.SetFinalizers([]string{"example.com/hold"})
	}
	w.content(w.random, u, false)
	made, err := w.in(namespace).Create(ctx, u, metav1.CreateOptions{})
	return w.note(key, made, err)
}

func (w *writer) update(ctx context.Context, key string, obj *unstructured.Unstructured) error {
	u := obj.DeepCopy()
	if w.status && w.random.IntN(2) == 0 {
		w.content(w.random, u, true)
		made, err := w.in(u.GetNamespace()).UpdateStatus(ctx, u, metav1.UpdateOptions{})
		return w.note(key, made, err)
	}
	w.relabel(u)
	w.content(w.random, u, false)
	made, err := w.in(u.GetNamespace()).Update(ctx, u, metav1.UpdateOptions{})
	return w.note(key, made, err)
}

func (w *writer) relabel(u *unstructured.Unstructured) {
	u.SetLabels(map[string]string{label: []string{"yes", "no"}[w.random.IntN(2)], "serial": fmt.Sprint(w.random.Uint32())})
}

// remove deletes an object. If it has a finalizer, remove first marks it as deleted.
func (w *writer) remove(ctx context.Context, key string, obj *unstructured.Unstructured) error {
	now := int64(0)
	in := w.in(obj.GetNamespace())
	if err := in.Delete(ctx, obj.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		return fmt.Errorf("delete %s %s: %w", w.name, key, err)
	}
	if len(obj.GetFinalizers()) > 0 {
		marked, err := in.Get(ctx, obj.GetName(), metav1.GetOptions{})
		if err := w.note(key, marked, err); err != nil {
			return err
		}
		marked.SetFinalizers(nil)
		if _, err := in.Update(ctx, marked, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("remove the finalizer of %s %s: %w", w.name, key, err)
		}
	}
	delete(w.objects, key)
	w.history.add(key, written{revision: revision{uid: string(obj.GetUID()), gone: true}})
	return nil
}

// touch writes the marker object of the kind, which every informer of the kind has.
func (w *writer) touch(ctx context.Context) error {
	key, namespace, name := prefix+"touched", prefix+"n0", prefix+"touched"
	if w.namespaced {
		key = namespace + "/" + name
	}
	obj, there := w.objects[key]
	if !there {
		if err := w.create(ctx, key, namespace, name); err != nil {
			return err
		}
		obj = w.objects[key]
	}
	u := obj.DeepCopy()
	u.SetLabels(map[string]string{label: "yes", "serial": fmt.Sprint(w.random.Uint32())})
	made, err := w.in(namespace).Update(ctx, u, metav1.UpdateOptions{})
	return w.note(key, made, err)
}

// note keeps the response to a write.
func (w *writer) note(key string, made *unstructured.Unstructured, err error) error {
	if err != nil {
		return fmt.Errorf("write %s %s: %w", w.name, key, err)
	}
	r, err := revisionOf(made)
	if err != nil {
		return err
	}
	w.objects[key] = made
	w.history.add(key, written{r, made.GetLabels()[label] == "yes"})
	return nil
}
