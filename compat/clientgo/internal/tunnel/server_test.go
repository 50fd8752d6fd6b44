package tunnel_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
	"github.com/vedette-io/vedette/wire"
)

// server is a RoundTripper that answers requests by a function, and remembers them.
type server struct {
	answer func(*http.Request) (*http.Response, error)

	mu       sync.Mutex
	requests []*http.Request
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	return s.answer(req)
}

func (s *server) seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

// onePod is a list with one pod.
const onePod = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"namespace":"a","name":"one","resourceVersion":"5"}}]}`

// onEvent is a watch with one event.
const oneEvent = `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"a","name":"one","resourceVersion":"5"}}}` + "\n"

// respond returns an answer in JSON.
func respond(code int, text string, headers ...string) *http.Response {
	resp := &http.Response{
		StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
	}
	for i := 0; i < len(headers); i += 2 {
		resp.Header.Set(headers[i], headers[i+1])
	}
	return resp
}

// pods answers lists and watches with one pod.
func pods(req *http.Request) (*http.Response, error) {
	if req.URL.Query().Has("watch") {
		return respond(http.StatusOK, oneEvent), nil
	}
	return respond(http.StatusOK, onePod), nil
}

// config returns the configuration of a client with the tunnel, over rt.
func config(rt http.RoundTripper) *rest.Config {
	return tunnel.Wrap(&rest.Config{Host: "http://server", Transport: rt, QPS: -1})
}

func clientset(t *testing.T, cfg *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// functions are a list and a watch function.
type functions struct {
	list  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

func (f functions) ListWithContext(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
	return f.list(ctx, opts)
}

func (f functions) WatchWithContext(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	return f.watch(ctx, opts)
}

// podFunctions are those of generated informers.
func podFunctions(client kubernetes.Interface) functions {
	return functions{
		func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			return client.CoreV1().Pods("").List(ctx, opts)
		},
		func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Pods("").Watch(ctx, opts)
		},
	}
}

// podShape is the shape of an informer of pods.
var podShape = tunnel.Shape{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Protobuf: true, BuiltIn: true}

// source returns the source of pods through functions.
func source(lw cache.ListerWatcherWithContext) *tunnel.Source { return tunnel.NewSource(lw, podShape) }

// read returns the content of a stream, and closes it.
func read(t *testing.T, stream wire.Stream, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	text, err := io.ReadAll(stream.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkBoth checks that a list and a watch have the bytes of the server.
func checkBoth(t *testing.T, src *tunnel.Source) {
	t.Helper()
	list, err := src.List(t.Context(), metav1.ListOptions{})
	if got := read(t, list, err); got != onePod {
		t.Errorf("the list is %q", got)
	}
	events, err := src.Watch(t.Context(), metav1.ListOptions{})
	if got := read(t, events, err); got != oneEvent {
		t.Errorf("the watch is %q", got)
	}
}

// closes counts how many of the bodies that it has made were closed.
type closes struct {
	mu           sync.Mutex
	made, closed int
}

func (c *closes) body(text string) io.ReadCloser {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	return &counted{Reader: strings.NewReader(text), counter: c}
}

type counted struct {
	io.Reader
	counter *closes
	once    sync.Once
}

func (b *counted) Close() error {
	b.once.Do(func() {
		b.counter.mu.Lock()
		defer b.counter.mu.Unlock()
		b.counter.closed++
	})
	return nil
}
