package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// Widget is a custom resource with few fields in Go.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Size int `json:"size"`
	} `json:"spec"`
}

const (
	typesPath   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	widgetsPath = "/apis/example.com/v1/namespaces/default/widgets"
	widgetType  = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{
		"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
)

// widget returns a widget with a nesting depth.
func widget(name string, depth int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q},"spec":{"size":3,"deep":%s%s}}`,
		name, strings.Repeat("[", depth), strings.Repeat("]", depth))
}

// copies are informers of widgets, with and without a Go type.
type copies struct {
	typed *informer.Informer[Widget]
	loose *informer.Informer[unstructured.Unstructured]
	meta  *informer.Informer[metav1.PartialObjectMetadata]
}

func follow(ctx context.Context, t *testing.T, work *sync.WaitGroup, cluster *kube.Cluster) copies {
	cfg := informer.Config{Resource: "widgets.example.com", Missing: informer.WaitIfMissing}
	c := copies{must(informer.Watch[Widget](cluster, cfg)), must(informer.Watch[unstructured.Unstructured](cluster, cfg)), must(informer.Watch[metav1.PartialObjectMetadata](cluster, cfg))}
	for _, inf := range []interface{ Run(context.Context) error }{c.typed, c.loose, c.meta} {
		work.Go(func() {
			if err := inf.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	return c
}

// have describes how the informers differ from a number of widgets; deep adds the widget
// "deep".
func (c copies) have(n int, deep bool) string {
	key := wire.Key{Namespace: "default", Name: "deep"}
	typed, ok, err := c.typed.Snapshot().Get(key)
	if ok != deep || err != nil || ok && typed.Spec.Size != 3 {
		return fmt.Sprintf("typed: %v, %v", ok, err)
	}
	if loose, ok, err := c.loose.Snapshot().Get(key); ok != deep || err != nil || ok && loose.GetName() != "deep" {
		return fmt.Sprintf("without a type: %v, %v", ok, err)
	}
	h, _ := c.loose.Health()
	if a, b, m := c.typed.Snapshot().Records().Len(), c.loose.Snapshot().Records().Len(), c.meta.Snapshot().Records().Len(); a != n || b != n || m != n || h.Invalid != 0 || !h.Synced {
		return fmt.Sprintf("%d, %d and %d widgets, %d unusable", a, b, m, h.Invalid)
	}
	return ""
}

// TestDeepObject: an object of 2.3 KB with 1,100 levels of nesting, which the API server
// accepts from anybody who may create one, is handled like any other: by running
// informers, and by informers that start while it exists.
func TestDeepObject(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	client := kubernetes.NewForConfigOrDie(c.RESTConfig()).Discovery().RESTClient()
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	if err := client.Post().AbsPath(typesPath).Body([]byte(widgetType)).Do(ctx).Error(); err != nil {
		t.Fatal(err)
	}
	create := func(name string, depth int) {
		t.Helper()
		patience.Until(t, "the type is served", func() string { return told(client.Post().AbsPath(widgetsPath).Body(widget(name, depth)).Do(ctx)) })
	}
	create("first", 1)
	running := follow(ctx, t, &work, cluster)
	patience.Until(t, "the first object is in all stores", func() string { return running.have(1, false) })
	create("deep", 1100)
	create("next", 1)
	patience.Until(t, "running informers have the deep object and the next one", func() string { return running.have(3, true) })
	started := follow(ctx, t, &work, cluster)
	patience.Until(t, "new informers have both objects, too", func() string { return started.have(3, true) })
	if err := client.Delete().AbsPath(widgetsPath + "/deep").Do(ctx).Error(); err != nil {
		t.Fatal(err)
	}
	for _, all := range []copies{running, started} {
		patience.Until(t, "its deletion is observed", func() string { return all.have(2, false) })
	}
}

func told(r rest.Result) string {
	if err := r.Error(); err != nil {
		return err.Error()
	}
	return ""
}
