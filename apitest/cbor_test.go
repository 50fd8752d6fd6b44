package apitest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	clientfeatures "k8s.io/client-go/features"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// withCBOR turns on CBOR in client-go.
type withCBOR struct{ clientfeatures.Gates }

func (g withCBOR) Enabled(f clientfeatures.Feature) bool {
	return f == clientfeatures.ClientsAllowCBOR || f == clientfeatures.ClientsPreferCBOR || g.Gates.Enabled(f)
}

// TestCBOR: client-go's dynamic client and an informer get custom objects as CBOR, and write them.
func TestCBOR(t *testing.T) {
	gates := clientfeatures.FeatureGates()
	clientfeatures.ReplaceFeatureGates(withCBOR{gates})
	t.Cleanup(func() { clientfeatures.ReplaceFeatureGates(gates) })
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}, CBOR: apitest.CBORServed})
	ctx := background(t)
	d, err := dynamic.NewForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	client := d.Resource(jobs).Namespace("default")
	if _, err := client.Create(ctx, job("a", "q"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].GetName() != "a" || list.GetResourceVersion() == "" {
		t.Fatalf("got %v and %v, want the list of a", list, err)
	}
	events, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(events.Stop)
	if _, err := client.Create(ctx, job("b", "q"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if ev := <-events.ResultChan(); ev.Type != watch.Added || ev.Object.(*unstructured.Unstructured).GetName() != "b" {
		t.Errorf("got %v, want b added", ev)
	}
	if _, err := client.Get(ctx, "none", metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("got %v, want NotFound", err)
	}
	for _, r := range srv.Requests() {
		if r.Verb == apitest.VerbList && !strings.Contains(r.Accept, "cbor") {
			t.Errorf("client-go accepts %s, want CBOR too", r.Accept)
		}
	}

	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	trainings, err := informer.Watch[unstructured.Unstructured](cluster, informer.Config{Resource: "trainingjobs.batch.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- trainings.Run(ctx) }()
	for ev := range trainings.Events(ctx) {
		if ev.Record().Encoding != wire.CBOR {
			t.Errorf("%s has the encoding %v, want CBOR", ev.Key(), ev.Record().Encoding)
		}
		if obj, err := ev.Object(); err != nil || obj.GetKind() != "TrainingJob" {
			t.Errorf("%s is %v (%v)", ev.Key(), obj, err)
		}
		if ev.Key().Name == "b" {
			break
		}
	}
}

// TestCBOR_Bytes: a document begins with the tag of self-described CBOR, also an object's metadata; built-in objects and
// servers without CBOR answer in the next encoding.
func TestCBOR_Bytes(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}, CBOR: apitest.CBORServed})
	create(t, srv, pod("p"))
	if _, err := srv.Create(job("a", "q")); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: srv.Dial}}
	t.Cleanup(client.CloseIdleConnections)
	get := func(path, accept string) (string, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://apitest"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.Header.Get("Content-Type"), string(body)
	}
	const object = "/apis/batch.example.com/v1/namespaces/default/trainingjobs/a"
	for accept, kind := range map[string]string{
		"application/cbor, application/json": "TrainingJob", "application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": "PartialObjectMetadata",
	} {
		media, body := get(object, accept)
		var doc map[string]any
		rest, tagged := strings.CutPrefix(body, "\xd9\xd9\xf7")
		if err := direct.Unmarshal([]byte(rest), &doc); err != nil || !tagged || media != "application/cbor" || doc["kind"] != kind {
			t.Errorf("%s: got %s %v (%v)", accept, media, doc, err)
		}
	}
	if media, _ := get("/api/v1/namespaces/default/pods/p", "application/cbor, application/json"); media != "application/json" {
		t.Errorf("got a pod as %s, want JSON", media)
	}
}
