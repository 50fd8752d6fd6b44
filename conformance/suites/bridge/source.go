package bridge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Options configure the client of a source.
type Options struct {
	// Wrap, if not nil, changes the configuration of the client before it is used.
	Wrap func(*rest.Config) *rest.Config
	// JSON requests JSON instead of protobuf.
	JSON bool
	// Lists makes the informer list instead of requesting a streaming list.
	Lists bool
}

// ListerWatcher returns a ListerWatcher that reads a source through a real client.
// Client-go's scheme must have the type of the example.
//
// Errors: the scheme does not have the type of the example.
func ListerWatcher(source cache.ListerWatcher, example runtime.Object, opts Options) (cache.ListerWatcher, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(example)
	if err != nil {
		return nil, fmt.Errorf("bridge: %w", err)
	}
	kind := Kind{GroupVersionKind: kinds[0]}
	transport := NewTransport(func(string) (cache.ListerWatcher, Kind, error) { return source, kind, nil })
	config := Config(transport, opts)
	version := kind.GroupVersion()
	config.GroupVersion, config.NegotiatedSerializer = &version, scheme.Codecs.WithoutConversion()
	if config.APIPath = "/apis"; kind.Group == "" {
		config.APIPath = "/api"
	}
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("bridge: %w", err)
	}
	plural, _ := meta.UnsafeGuessKindToResource(kind.GroupVersionKind)
	read := reader{client, plural.Resource, kind}
	lw := &cache.ListWatch{ListWithContextFunc: read.list, WatchFuncWithContext: read.watch}
	if opts.Lists {
		return listsOnly{lw}, nil
	}
	return lw, nil
}

// Config returns the configuration of a client on a transport, without a rate limit.
func Config(transport *Transport, opts Options) *rest.Config {
	config := &rest.Config{Host: "http://bridge", Transport: transport, QPS: -1}
	if !opts.JSON {
		config.ContentType = runtime.ContentTypeProtobuf
		config.AcceptContentTypes = strings.Join([]string{runtime.ContentTypeProtobuf, runtime.ContentTypeJSON}, ",")
	}
	if opts.Wrap != nil {
		config = opts.Wrap(config)
	}
	return config
}

// reader sends the same requests as a generated client.
type reader struct {
	client   rest.Interface
	resource string
	kind     Kind
}

func (r reader) request(opts *metav1.ListOptions) *rest.Request {
	var timeout time.Duration
	if opts.TimeoutSeconds != nil {
		timeout = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	return r.client.Get().Resource(r.resource).VersionedParams(opts, scheme.ParameterCodec).Timeout(timeout)
}

func (r reader) list(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
	kind := r.kind.GroupVersionKind
	kind.Kind += "List"
	list, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	return list, r.request(&opts).Do(ctx).Into(list)
}

func (r reader) watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	opts.Watch = true
	return r.request(&opts).Watch(ctx)
}

// listsOnly is a source without streaming lists, in client-go's terms.
type listsOnly struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported keeps client-go from requesting a streaming list.
func (listsOnly) IsWatchListSemanticsUnSupported() bool { return true }
