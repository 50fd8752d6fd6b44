package tunnel_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

var podResource = corev1.SchemeGroupVersion.WithResource("pods")

// clients returns the functions of each kind of client, and what its informer asks for.
func clients(t *testing.T, cfg *rest.Config) map[string]*tunnel.Source {
	t.Helper()
	inProtobuf := rest.CopyConfig(cfg)
	inProtobuf.ContentType = runtime.ContentTypeProtobuf
	d, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metadata.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	unknown := podShape
	unknown.Kind, unknown.BuiltIn, unknown.Protobuf = schema.GroupVersionKind{}, false, false
	fromClient := cache.NewListWatchFromClient(clientset(t, cfg).CoreV1().RESTClient(), "pods", "", fields.Everything())
	return map[string]*tunnel.Source{
		"typed":               source(podFunctions(clientset(t, cfg))),
		"typed, protobuf":     source(podFunctions(clientset(t, inProtobuf))),
		"REST client":         source(fromClient),
		"REST client, custom": tunnel.NewSource(fromClient, unknown),
		"dynamic": tunnel.NewSource(functions{
			func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
				return d.Resource(podResource).List(ctx, opts)
			},
			func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				return d.Resource(podResource).Watch(ctx, opts)
			},
		}, tunnel.Shape{Dynamic: true}),
		"metadata": tunnel.NewSource(functions{
			func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
				return m.Resource(podResource).List(ctx, opts)
			},
			func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				return m.Resource(podResource).Watch(ctx, opts)
			},
		}, tunnel.Shape{View: kube.Metadata, Protobuf: true}),
	}
}

// TestClients: each kind of client can be reached, decodes the empty answer, and asks for
// the encodings that the engine reads.
func TestClients(t *testing.T) {
	const proto, json = "application/vnd.kubernetes.protobuf", "application/json"
	const list, item = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	want := map[string][2]string{
		"typed": {proto + "," + json, proto + "," + json}, "typed, protobuf": {proto + "," + json, proto + "," + json},
		"REST client": {proto + "," + json, proto + "," + json}, "REST client, custom": {json, json}, "dynamic": {json, json},
		"metadata": {proto + list + "," + json + list, proto + item + "," + json + item},
	}
	srv := &server{answer: pods}
	for name, src := range clients(t, config(srv)) {
		t.Run(name, func(t *testing.T) {
			before := len(srv.seen())
			if err := src.Probe(t.Context()); err != nil {
				t.Error(err)
			}
			checkBoth(t, src)
			seen := srv.seen()[before:]
			if len(seen) != 2 {
				t.Fatalf("it sent %d requests, want 2", len(seen))
			}
			for i, req := range seen {
				if got := req.Header.Values("Accept"); len(got) != 1 || got[0] != want[name][i] {
					t.Errorf("request %d accepts %q, want %q", i, got, want[name][i])
				}
			}
		})
	}
}

// TestForeignAnswers: answers that the engine cannot read, or did not ask for, are errors
// and are closed.
func TestForeignAnswers(t *testing.T) {
	for name, c := range map[string]struct{ client, contentType, encoding, want string }{
		"page of a proxy":         {client: "typed", contentType: "text/html", want: "text/html"},
		"no type":                 {client: "typed", want: "content type"},
		"protobuf for custom":     {client: "dynamic", contentType: wire.MediaTypeProtobuf, want: "not asked for"},
		"CBOR":                    {client: "typed", contentType: wire.MediaTypeCBOR, want: "not asked for"},
		"gzip that nobody undoes": {client: "typed", contentType: wire.MediaTypeJSON, encoding: "gzip", want: "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			var bodies closes
			srv := &server{answer: func(*http.Request) (*http.Response, error) {
				resp := respond(http.StatusOK, "", "Content-Type", c.contentType, "Content-Encoding", c.encoding)
				resp.Body = bodies.body(onePod)
				return resp, nil
			}}
			src := clients(t, config(srv))[c.client]
			_, listed := src.List(t.Context(), metav1.ListOptions{})
			_, watched := src.Watch(t.Context(), metav1.ListOptions{})
			for _, err := range []error{listed, watched} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want an error with %q", err, c.want)
				}
			}
			if bodies.made != 2 || bodies.closed != 2 {
				t.Errorf("%d of %d bodies were closed", bodies.closed, bodies.made)
			}
		})
	}
}

// TestStatusWith200: a Status that a proxy sends with code 200 is no empty list, whether
// the type is known or not.
func TestStatusWith200(t *testing.T) {
	srv := &server{answer: func(*http.Request) (*http.Response, error) {
		return respond(http.StatusOK, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","code":503}`), nil
	}}
	for name, src := range clients(t, config(srv)) {
		t.Run(name, func(t *testing.T) {
			stream, err := src.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Body.Close()
			r := wire.NewListReader(stream.Body, stream.Encoding, wire.Options{APIVersion: stream.APIVersion, Kind: stream.Kind})
			if _, err := r.Next(); err == nil || err == io.EOF {
				t.Errorf("the list ended with %v", err)
			}
			events, err := src.Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer events.Body.Close()
			if ev, err := wire.NewWatchReader(events.Body, events.Encoding, wire.Options{APIVersion: events.APIVersion, Kind: events.Kind}).Next(); err == nil || err == io.EOF {
				t.Errorf("the watch has %v, %v", ev, err)
			}
		})
	}
}

// warnings collects the warnings that a client gets.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

// TestWarnings: the warnings of the server reach the client.
func TestWarnings(t *testing.T) {
	srv := &server{answer: func(req *http.Request) (*http.Response, error) {
		resp, _ := pods(req)
		resp.Header.Set("Warning", `299 - "v1 is old"`)
		return resp, nil
	}}
	var told warnings
	cfg := config(srv)
	cfg.WarningHandler = &told
	checkBoth(t, source(podFunctions(clientset(t, cfg))))
	if len(told) != 2 || told[0] != "v1 is old" {
		t.Errorf("the client got the warnings %q", told)
	}
}

// TestListedKind: the kind of the items is read from the list of a built-in type, in
// whatever pieces it arrives. The items do not have it.
func TestListedKind(t *testing.T) {
	srv := &server{answer: func(*http.Request) (*http.Response, error) {
		resp := respond(http.StatusOK, "")
		resp.Body = io.NopCloser(&piecemeal{onePod})
		return resp, nil
	}}
	src := clients(t, config(srv))["dynamic"]
	if got := src.Kind(); !got.Empty() || src.String() != "objects" {
		t.Errorf("%v has kind %v before a list", src, got)
	}
	if err := src.Probe(t.Context()); err != nil || src.String() != "/api/v1/pods" {
		t.Errorf("%v after a probe: %v", src, err)
	}
	list, err := src.List(t.Context(), metav1.ListOptions{})
	if got := read(t, list, err); got != onePod {
		t.Errorf("the list is %q", got)
	}
	if got := src.Kind(); got != corev1.SchemeGroupVersion.WithKind("Pod") || src.String() != "Pod.v1" {
		t.Errorf("%v has kind %v, want Pod in v1", src, got)
	}
}

// piecemeal hands out one byte at a time.
type piecemeal struct{ rest string }

func (p *piecemeal) Read(b []byte) (int, error) {
	if p.rest == "" {
		return 0, io.EOF
	}
	b[0], p.rest = p.rest[0], p.rest[1:]
	return 1, nil
}
