package apitest_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	kubeprotobuf "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/vedette-io/vedette/apitest"
)

const (
	acceptJSON     = "application/json"
	acceptProtobuf = "application/vnd.kubernetes.protobuf"
	asPartial      = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	asPartialList  = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// raw is a client that returns the raw bytes.
type raw struct{ http *http.Client }

func rawClient(t *testing.T, srv *apitest.Server) raw {
	t.Helper()
	transport := &http.Transport{DialContext: srv.Dial, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return raw{&http.Client{Transport: transport}}
}

func (r raw) open(t *testing.T, method, path, accept string, body []byte) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://apitest"+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", accept)
	response, err := r.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func (r raw) get(t *testing.T, path, accept string) (code int, media string, body []byte) {
	t.Helper()
	response := r.open(t, http.MethodGet, path, accept, nil)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), body
}

// encoded returns an object as the serializers of Kubernetes encode it.
func encoded(t *testing.T, obj runtime.Object, accept string) []byte {
	t.Helper()
	var out bytes.Buffer
	var err error
	if accept == acceptProtobuf {
		err = kubeprotobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(obj, &out)
	} else {
		err = kubejson.NewSerializerWithOptions(kubejson.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
			kubejson.SerializerOptions{}).Encode(obj, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestWire_SameBytesAsServer compares single objects and lists, byte by byte, with the output of the serializers of
// Kubernetes for the same objects, for every built-in type.
func TestWire_SameBytesAsServer(t *testing.T) {
	srv := start(t, apitest.Config{})
	client := rawClient(t, srv)
	for _, typ := range apitest.Builtins() {
		obj, err := scheme.Scheme.New(typ.GroupVersionKind())
		if err != nil {
			t.Fatal(err)
		}
		object := obj.(apitest.Object)
		object.SetName("a")
		object.SetLabels(map[string]string{"b": "c", "a": "b"})
		object.SetAnnotations(map[string]string{"note": "<&>"})
		path := "/apis/" + typ.Group + "/" + typ.Version
		if typ.Group == "" {
			path = "/api/v1"
		}
		if typ.Namespaced {
			object.SetNamespace("default")
			path += "/namespaces/default"
		}
		path += "/" + typ.Resource
		create(t, srv, object)
		for _, accept := range []string{acceptJSON, acceptProtobuf} {
			_, media, body := client.get(t, path+"/a", accept)
			compareBytes(t, typ, accept, media, body)
			_, media, body = client.get(t, path, accept)
			compareBytes(t, typ, accept, media, body)
		}
	}
}

func compareBytes(t *testing.T, typ apitest.Type, accept, media string, body []byte) {
	t.Helper()
	decoded, gvk, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		t.Errorf("%s: the object does not decode: %v in %q", typ.Kind, err, body)
		return
	}
	if accept != media {
		t.Errorf("%s: got content type %s, want %s", typ.Kind, media, accept)
	}
	decoded.GetObjectKind().SetGroupVersionKind(*gvk)
	if diff := cmp.Diff(string(encoded(t, decoded, accept)), string(body)); diff != "" {
		t.Errorf("%s as %s (-want +got):\n%s", typ.Kind, accept, diff)
	}
}

func TestWire_WatchFrames(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	created := create(t, srv, pod("a"))
	created.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	client := rawClient(t, srv)

	response := client.open(t, http.MethodGet, "/api/v1/pods?watch=true", acceptProtobuf, nil)
	if media := response.Header.Get("Content-Type"); media != acceptProtobuf+";stream=watch" {
		t.Errorf("content type %s", media)
	}
	var size [4]byte
	if _, err := io.ReadFull(response.Body, size[:]); err != nil {
		t.Fatal(err)
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(response.Body, frame); err != nil {
		t.Fatal(err)
	}
	want := metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: encoded(t, created, acceptProtobuf)}}
	wantFrame, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantFrame, frame); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}

	lines := json.NewDecoder(client.open(t, http.MethodGet, "/api/v1/pods?watch=true", acceptJSON, nil).Body)
	var event metav1.WatchEvent
	if err := lines.Decode(&event); err != nil || event.Type != string(watch.Added) {
		t.Errorf("first event: got %s and error %v, want ADDED", event.Type, err)
	}
	if diff := cmp.Diff(string(bytes.TrimSpace(encoded(t, created, acceptJSON))), string(event.Object.Raw)); diff != "" {
		t.Errorf("got another object in the event (-want +got):\n%s", diff)
	}
}

func TestWire_CustomObjectsAndLists(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	uid := create(t, srv, job("j", "q")).GetUID()
	client := rawClient(t, srv)
	_, _, body := client.get(t, "/apis/batch.example.com/v1/trainingjobs", acceptProtobuf+", "+acceptJSON)
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(body, &list); err != nil || len(list.Items) != 1 {
		t.Fatalf("got error %v, want one object in %s", err, body)
	}
	want := `{"apiVersion":"batch.example.com/v1","items":[` + string(list.Items[0]) +
		`],"kind":"TrainingJobList","metadata":{"continue":"","resourceVersion":"2"}}` + "\n"
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	code, media, body := client.get(t, "/apis/batch.example.com/v1/trainingjobs", acceptProtobuf)
	if code != http.StatusNotAcceptable || media != acceptJSON {
		t.Errorf("protobuf of a custom resource: %d %s %s", code, media, body)
	}
	_, media, body = client.get(t, "/apis/batch.example.com/v1/trainingjobs", acceptProtobuf+asPartialList)
	decoded, gvk, err := metadataCodec.Decode(body, nil, nil)
	if err != nil || media != acceptProtobuf || gvk.Kind != "PartialObjectMetadataList" {
		t.Fatalf("list as protobuf: got error %v, type %s, kind %v; want a PartialObjectMetadataList", err, media, gvk)
	}
	_, _, body = client.get(t, "/apis/batch.example.com/v1/trainingjobs", acceptJSON+asPartialList)
	var asJSON metav1.PartialObjectMetadataList
	if err = json.Unmarshal(body, &asJSON); err != nil || len(asJSON.Items) != 1 || asJSON.Items[0].Kind != "PartialObjectMetadata" {
		t.Errorf("list as JSON: got %s and error %v, want one PartialObjectMetadata", body, err)
	}
	partials := decoded.(*metav1.PartialObjectMetadataList)
	if partials.ResourceVersion != "2" || len(partials.Items) != 1 || partials.Items[0].UID != uid {
		t.Errorf("list as protobuf: got %+v, want one object, version 2", partials)
	}
}

// metadataCodec reads the kinds of meta.k8s.io.
var metadataCodec = func() runtime.Decoder {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, schema.GroupVersion{Group: metav1.GroupName, Version: "v1"})
	if err := metav1.AddMetaToScheme(s); err != nil {
		panic(err)
	}
	return kubeprotobuf.NewSerializer(s, s)
}()

func TestWire_Negotiation(t *testing.T) {
	srv := start(t, apitest.Config{})
	create(t, srv, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "d"}})
	client := rawClient(t, srv)
	const table = ";as=Table;g=meta.k8s.io;v=v1"
	for _, c := range []struct {
		accept, path string
		code         int
		media, kind  string
	}{
		{"", "/d", 200, acceptJSON, "Deployment"},
		{"*/*", "", 200, acceptJSON, "DeploymentList"},
		{"application/cbor, application/json", "", 200, acceptJSON, "DeploymentList"},
		{"application/cbor", "", 406, acceptJSON, "Status"},
		{acceptJSON + table, "", 200, acceptJSON, "Table"},
		{acceptProtobuf + table, "", 406, acceptJSON, "Status"},
		{acceptProtobuf + table + "," + acceptJSON, "", 200, acceptJSON, "DeploymentList"},
		{acceptJSON + asPartial, "/d", 200, acceptJSON, "PartialObjectMetadata"},
		{acceptJSON + asPartialList, "", 200, acceptJSON, "PartialObjectMetadataList"},
		{acceptJSON + asPartialList, "/d", 406, acceptJSON, "Status"},
		{acceptJSON + ";q=0.5," + acceptProtobuf, "", 200, acceptProtobuf, ""},
		{acceptProtobuf, "/none", 404, acceptProtobuf, ""},
	} {
		code, media, body := client.get(t, "/apis/apps/v1/namespaces/default/deployments"+c.path, c.accept)
		var kind metav1.TypeMeta
		if media == acceptJSON {
			if err := json.Unmarshal(body, &kind); err != nil {
				t.Errorf("%s: the body is not JSON: %v", c.accept, err)
			}
		}
		if code != c.code || media != c.media || kind.Kind != c.kind {
			t.Errorf("%q %s: got %d %s %s, want %d %s %s", c.accept, c.path, code, media, kind.Kind, c.code, c.media, c.kind)
		}
	}
}
