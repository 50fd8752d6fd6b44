package reach_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/vedette-io/vedette/compat/clientgo/internal/reach"
	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
	"github.com/vedette-io/vedette/kube"
)

// server notes the requests that it gets, and answers with an empty list.
type server struct {
	mu   sync.Mutex
	seen []string
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, req.URL.Host+req.URL.Path+" "+req.Header.Get("Authorization")+" "+req.Header.Get("Impersonate-User")+" "+req.UserAgent())
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}, "Warning": {`299 - "it is old"`}},
		Body: io.NopCloser(strings.NewReader(emptyList)),
	}, nil
}

const emptyList = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[]}`

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

// clients returns a source for each kind of client, which was made without the tunnel.
func clients(t *testing.T, cfg *rest.Config) map[string]*tunnel.Source {
	t.Helper()
	plain, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	plainDynamic, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	plainMetadata, err := metadata.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	set, d, m := reach.Clientset(plain), reach.Dynamic(plainDynamic), reach.Metadata(plainMetadata)
	return map[string]*tunnel.Source{
		"typed": tunnel.NewSource(functions{
			func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
				return set.CoreV1().Pods("").List(ctx, opts)
			},
			func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				return set.CoreV1().Pods("").Watch(ctx, opts)
			},
		}, tunnel.Shape{Kind: corev1.SchemeGroupVersion.WithKind("Pod"), BuiltIn: true}),
		"dynamic": tunnel.NewSource(functions{
			func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
				return d.Resource(pods).List(ctx, opts)
			},
			func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				return d.Resource(pods).Watch(ctx, opts)
			},
		}, tunnel.Shape{Dynamic: true}),
		"metadata": tunnel.NewSource(functions{
			func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
				return m.Resource(pods).List(ctx, opts)
			},
			func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				return m.Resource(pods).Watch(ctx, opts)
			},
		}, tunnel.Shape{View: kube.Metadata}),
	}
}

// warnings collects the warnings that a client gets.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

// TestClients: each kind of client can be reached, and sends what the original would:
// to the same path, with its credentials, name, and handler of warnings.
func TestClients(t *testing.T) {
	for host, path := range map[string]string{
		"http://server":                    "server/api/v1/pods",
		"http://server/k8s/clusters/c-1":   "server/k8s/clusters/c-1/api/v1/pods",
		"http://server/k8s/clusters/c-1/":  "server/k8s/clusters/c-1/api/v1/pods",
		"http://server/api/v1/proxy/other": "server/api/v1/proxy/other/api/v1/pods",
	} {
		srv := &server{}
		var told warnings
		cfg := &rest.Config{
			Host: host, Transport: srv, QPS: -1, BearerToken: "secret", UserAgent: "me",
			Impersonate: rest.ImpersonationConfig{UserName: "jane"}, WarningHandler: &told,
		}
		for name, src := range clients(t, cfg) {
			t.Run(name+" at "+host, func(t *testing.T) {
				srv.seen, told = nil, nil
				if err := src.Probe(t.Context()); err != nil || len(srv.seen) != 0 {
					t.Errorf("the probe returned %v, and the server got %q", err, srv.seen)
				}
				stream, err := src.List(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer stream.Body.Close()
				if text, err := io.ReadAll(stream.Body); err != nil || string(text) != emptyList {
					t.Errorf("the list is %q, %v", text, err)
				}
				if want := []string{path + " Bearer secret jane me"}; !slices.Equal(srv.seen, want) {
					t.Errorf("the server got %q, want %q", srv.seen, want)
				}
				if !slices.Equal(told, []string{"it is old"}) {
					t.Errorf("the client got the warnings %q", told)
				}
			})
		}
	}
}

// TestRateLimiter: a copy waits with its original, and not at all if that does not.
func TestRateLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := &rest.Config{Host: "http://server", Transport: &server{}, RateLimiter: flowcontrol.NewTokenBucketRateLimiter(0.1, 1)}
		original, err := kubernetes.NewForConfig(cfg)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for _, client := range []kubernetes.Interface{original, reach.Clientset(original)} {
			if err := client.CoreV1().RESTClient().Get().AbsPath("/healthz").Do(t.Context()).Error(); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start).Round(time.Second); took != 10*time.Second {
			t.Errorf("two requests took %v, want 10s", took)
		}
		unlimited, err := kubernetes.NewForConfig(&rest.Config{Host: "http://server", Transport: &server{}, QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		start = time.Now()
		copied := reach.Clientset(unlimited)
		for range 50 {
			_ = copied.CoreV1().RESTClient().Get().AbsPath("/healthz").Do(t.Context())
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("a client without a limiter waited for %v", took)
		}
	})
}

// TestOthers: a client that is not client-go's is returned unchanged.
func TestOthers(t *testing.T) {
	set, scheme := fake.NewClientset(), metadatafake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	d, m := dynamicfake.NewSimpleDynamicClient(scheme), metadatafake.NewSimpleMetadataClient(scheme)
	if reach.Clientset(set) != kubernetes.Interface(set) || reach.Clientset(nil) != nil || reach.Clientset((*kubernetes.Clientset)(nil)) == nil {
		t.Error("a clientset was replaced")
	}
	if reach.Dynamic(d) != dynamic.Interface(d) || reach.Dynamic(nil) != nil {
		t.Error("a dynamic client was replaced")
	}
	if reach.Metadata(m) != metadata.Interface(m) || reach.Metadata(nil) != nil {
		t.Error("a metadata client was replaced")
	}
}
