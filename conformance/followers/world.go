package followers

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
)

// The type that is followed.
const (
	group    = "example.com"
	plural   = "widgets"
	typeName = plural + "." + group
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

type object = map[string]any

// Version is a version of the type in its definition. properties is the schema of its spec.
func Version(name string, served, storage bool, properties object) object {
	return object{"name": name, "served": served, "storage": storage, "schema": object{"openAPIV3Schema": object{
		"type": "object", "properties": object{"spec": object{"type": "object", "properties": properties}},
	}}}
}

// Sized is the schema of the first objects.
func Sized() object { return object{"size": object{"type": "integer"}} }

func definition(versions ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": typeName},
		"spec": object{
			"group": group, "scope": "Namespaced", "versions": versions,
			"names": object{"plural": plural, "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
		},
	}}
}

// World is a control plane, the type, and its followers.
type World struct {
	t       *testing.T
	Plane   *controlplane.Cluster
	client  dynamic.Interface
	version string // of the type, as the world reads and writes it
	Through string // the URL of the server for followers; "" is its own

	asks []func() error // send a request over the connection of a follower
	log  logbook
}

// NewWorld starts a control plane that serves the type.
func NewWorld(t *testing.T, opts controlplane.Options, versions ...any) *World {
	t.Helper()
	opts.Parts = controlplane.APIServerOnly
	w := &World{t: t, Plane: controlplane.ForTest(t, opts), version: versions[0].(object)["name"].(string)}
	var err error
	if w.client, err = dynamic.NewForConfig(w.Plane.RESTConfig()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.Resource(definitions).Create(t.Context(), definition(versions...), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patience.NoError(t, "the type is served", func() error { _, err := w.list(); return err })
	return w
}

// redefine changes the versions of the type.
func (w *World) redefine(versions ...any) {
	w.t.Helper()
	patience.NoError(w.t, "the definition changes", func() error {
		d, err := w.client.Resource(definitions).Get(w.t.Context(), typeName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		d.Object["spec"].(object)["versions"] = versions
		_, err = w.client.Resource(definitions).Update(w.t.Context(), d, metav1.UpdateOptions{})
		return err
	})
}

// resource is the type.
func (w *World) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: w.version, Resource: plural}
}

func (w *World) widgets() dynamic.ResourceInterface {
	return w.client.Resource(w.resource()).Namespace("default")
}

// list returns the objects of the server by name, straight from etcd.
func (w *World) list() (map[string]*unstructured.Unstructured, error) {
	list, err := w.client.Resource(w.resource()).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	all := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		all[list.Items[i].GetName()] = &list.Items[i]
	}
	return all, nil
}

func name(i int) string { return fmt.Sprintf("w-%04d", i) }

// Ready waits until the server accepts writes.
func (w *World) Ready() {
	w.t.Helper()
	patience.NoError(w.t, "the server writes", func() error {
		_, err := w.widgets().Patch(w.t.Context(), name(0), types.MergePatchType, []byte(`{"metadata":{"labels":{"ready":"yes"}}}`), metav1.PatchOptions{})
		return err
	})
}

// Create creates the objects from..to-1, eight at a time.
func (w *World) Create(from, to int) {
	w.t.Helper()
	var work sync.WaitGroup
	next := make(chan int)
	for range 8 {
		work.Go(func() {
			for i := range next {
				o := &unstructured.Unstructured{Object: object{
					"apiVersion": group + "/" + w.version, "kind": "Widget", "metadata": object{"name": name(i)}, "spec": object{"size": int64(i)},
				}}
				if _, err := w.widgets().Create(w.t.Context(), o, metav1.CreateOptions{}); err != nil {
					w.t.Error(err)
				}
			}
		})
	}
	for i := from; i < to; i++ {
		next <- i
	}
	close(next)
	work.Wait()
}

// Resize changes an object.
func (w *World) Resize(i, size int) {
	w.t.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"size":%d}}`, size)
	if _, err := w.widgets().Patch(w.t.Context(), name(i), types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// Remove deletes an object.
func (w *World) Remove(i int) {
	w.t.Helper()
	if err := w.widgets().Delete(w.t.Context(), name(i), metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// config returns the configuration of a follower.
func (w *World) config() *rest.Config {
	cfg := w.Plane.RESTConfig()
	if w.Through != "" {
		cfg.Host = w.Through
	}
	return cfg
}

// run calls a function until the test ends.
func (w *World) run(f func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	w.t.Cleanup(stop)
	return stop
}

// logbook has the lines that the followers have logged.
type logbook struct {
	mu    sync.Mutex
	lines []string
}

func (l *logbook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(line))
	return len(line), nil
}

// of returns the logger of a follower.
func (l *logbook) of(follower string) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, nil)).With("follower", follower)
}

// Said returns the lines that a follower has logged.
func (w *World) Said(follower string) (lines []string) {
	l := &w.log
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, "follower="+follower) {
			lines = append(lines, line)
		}
	}
	return lines
}
