package controllerruntime

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/informer"
)

// Options returns the options of Vedette for the type of an object.
type Options func(example runtime.Object) clientgo.Options

// NewCache is for manager.Options.NewCache and cluster.Options.NewCache: the informers of
// the cache run on the engine of Vedette. Everything else is controller-runtime's, with
// all of its options.
//
// Errors: those of cache.New.
func NewCache(cfg *rest.Config, opts cache.Options) (cache.Cache, error) {
	return NewCacheWith(nil)(cfg, opts)
}

// NewCacheWith is NewCache with options of Vedette by type. A nil function means none.
func NewCacheWith(options Options) cache.NewCacheFunc {
	if options == nil {
		options = func(runtime.Object) clientgo.Options { return clientgo.Options{} }
	}
	return func(cfg *rest.Config, opts cache.Options) (cache.Cache, error) {
		reached, err := reachable(cfg, opts.HTTPClient)
		if err != nil {
			return nil, err
		}
		opts.HTTPClient = reached
		unsafe, err := newUnsafeTypes(&opts)
		if err != nil {
			return nil, err
		}
		construct := opts.NewInformer
		if construct == nil {
			construct = toolscache.NewSharedIndexInformer
		}
		opts.NewInformer = func(lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			inf := clientgo.Adopt(construct(lw, example, resync, indexers), options(example))
			if unsafe.has(example) {
				return inf
			}
			return newLazyInformer(inf)
		}
		inner, err := cache.New(cfg, opts)
		if err != nil {
			return nil, err
		}
		return &copyingCache{Cache: inner, packed: func(obj runtime.Object) bool {
			example := unsafe.element(obj)
			return options(example).Storage == informer.Packed && !unsafe.has(example)
		}}, nil
	}
}

// reachable returns an HTTP client like the given one, or like that of a configuration if
// it is nil, whose requests the byte tunnel reaches.
func reachable(cfg *rest.Config, given *http.Client) (*http.Client, error) {
	if given == nil {
		if cfg.UserAgent == "" {
			cfg = rest.CopyConfig(cfg)
			cfg.UserAgent = rest.DefaultKubernetesUserAgent()
		}
		made, err := rest.HTTPClientFor(cfg)
		if err != nil {
			return nil, err
		}
		given = made
	}
	copied := *given
	copied.Transport = clientgo.Transport(copied.Transport)
	return &copied, nil
}

// unsafeTypes are the types whose readers get the objects in the cache themselves.
type unsafeTypes struct {
	all    bool
	scheme *runtime.Scheme
	types  map[schema.GroupVersionKind]bool // false: an exception if all types are unsafe
}

// newUnsafeTypes reads the options UnsafeDisableDeepCopy.
func newUnsafeTypes(opts *cache.Options) (*unsafeTypes, error) {
	u := &unsafeTypes{scheme: opts.Scheme, types: map[schema.GroupVersionKind]bool{}}
	if u.scheme == nil {
		u.scheme = scheme.Scheme
	}
	u.all = isTrue(opts.DefaultUnsafeDisableDeepCopy) || anyNamespace(opts.DefaultNamespaces)
	for example, by := range opts.ByObject {
		gvk, err := apiutil.GVKForObject(example, u.scheme)
		if err != nil {
			return nil, err
		}
		switch {
		case isTrue(by.UnsafeDisableDeepCopy) || anyNamespace(by.Namespaces):
			u.types[gvk] = true
		case by.UnsafeDisableDeepCopy != nil:
			u.types[gvk] = false
		}
	}
	return u, nil
}

// has reports whether readers of a type may get the objects in the cache themselves, in
// any namespace.
func (u *unsafeTypes) has(example runtime.Object) bool {
	if gvk, err := apiutil.GVKForObject(example, u.scheme); err == nil {
		if set, ok := u.types[gvk]; ok {
			return set
		}
	}
	return u.all
}

// element returns an object of the type of the elements of a list, and obj itself if it is
// not a list.
func (u *unsafeTypes) element(obj runtime.Object) runtime.Object {
	gvk, err := apiutil.GVKForObject(obj, u.scheme)
	if err != nil || !meta.IsListType(obj) {
		return obj
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	switch obj.(type) {
	case runtime.Unstructured:
		one := &unstructured.Unstructured{}
		one.SetGroupVersionKind(gvk)
		return one
	case *metav1.PartialObjectMetadataList:
		one := &metav1.PartialObjectMetadata{}
		one.SetGroupVersionKind(gvk)
		return one
	}
	if one, err := u.scheme.New(gvk); err == nil {
		return one
	}
	return obj
}

func anyNamespace(namespaces map[string]cache.Config) bool {
	for _, cfg := range namespaces {
		if isTrue(cfg.UnsafeDisableDeepCopy) {
			return true
		}
	}
	return false
}

func isTrue(b *bool) bool { return b != nil && *b }

// lazyInformer is an informer whose indexer decodes an object when a reader copies it.
type lazyInformer struct {
	toolscache.SharedIndexInformer
	indexer toolscache.Indexer
}

// newLazyInformer returns inf itself if its objects are decoded anyway.
func newLazyInformer(inf toolscache.SharedIndexInformer) toolscache.SharedIndexInformer {
	x, ok := clientgo.LazyIndexer(inf)
	if !ok {
		return inf
	}
	return lazyInformer{inf, x}
}

// Inside returns the informer itself, for clientgo.HealthOf and clientgo.Report.
func (i lazyInformer) Inside() toolscache.SharedIndexInformer { return i.SharedIndexInformer }

// GetIndexer implements cache.SharedIndexInformer.
func (i lazyInformer) GetIndexer() toolscache.Indexer { return i.indexer }

// GetStore implements cache.SharedInformer.
func (i lazyInformer) GetStore() toolscache.Store { return i.indexer }

// copyingCache is a cache whose readers get private copies, also those that ask for the
// object in the cache by an option of the call: a packed cache has no such object, and a
// copy is not slower.
type copyingCache struct {
	cache.Cache
	packed func(runtime.Object) bool
}

// NeedLeaderElection tells a manager to run the cache before it is elected, like
// controller-runtime's.
func (c *copyingCache) NeedLeaderElection() bool { return false }

// Get implements client.Reader.
func (c *copyingCache) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if len(opts) == 0 || !c.packed(obj) {
		return c.Cache.Get(ctx, key, obj, opts...)
	}
	if safe, ok := any(client.UnsafeDisableDeepCopyOption(false)).(client.GetOption); ok { // not in controller-runtime 0.21
		opts = append(slices.Clip(opts), safe)
	}
	return c.Cache.Get(ctx, key, obj, opts...)
}

// List implements client.Reader.
func (c *copyingCache) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := client.ListOptions{}
	o.ApplyOptions(opts)
	if o.UnsafeDisableDeepCopy == nil || !c.packed(list) {
		return c.Cache.List(ctx, list, opts...)
	}
	o.UnsafeDisableDeepCopy = nil
	return c.Cache.List(ctx, list, &o)
}
