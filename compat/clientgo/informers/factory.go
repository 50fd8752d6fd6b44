package informers

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/internal/reach"
)

type (
	// SharedInformerFactory is client-go's.
	SharedInformerFactory = informers.SharedInformerFactory
	// GenericInformer is client-go's.
	GenericInformer = informers.GenericInformer
	// SharedInformerOption configures a factory.
	SharedInformerOption func(*factory)
)

// withStock passes on an option of client-go.
func withStock(option informers.SharedInformerOption) SharedInformerOption {
	return func(f *factory) { f.stock = append(f.stock, option) }
}

// WithCustomResyncConfig sets a resync period for the types of certain objects.
func WithCustomResyncConfig(periods map[metav1.Object]time.Duration) SharedInformerOption {
	return withStock(informers.WithCustomResyncConfig(periods))
}

// WithTweakListOptions sets a function that changes the options of all lists and watches.
func WithTweakListOptions(tweak internalinterfaces.TweakListOptionsFunc) SharedInformerOption {
	return func(f *factory) { f.tweak = tweak }
}

// WithNamespace limits the factory to one namespace.
func WithNamespace(namespace string) SharedInformerOption {
	return func(f *factory) { f.namespace = namespace }
}

// WithTransform sets a transform on all informers.
func WithTransform(transform cache.TransformFunc) SharedInformerOption {
	return withStock(informers.WithTransform(transform))
}

// WithOptions sets a function that returns the options of Vedette for the type of an
// object. Client-go has no such option.
func WithOptions(options func(example runtime.Object) clientgo.Options) SharedInformerOption {
	return func(f *factory) { f.options = options }
}

// NewSharedInformerFactory returns a factory for all namespaces.
func NewSharedInformerFactory(client kubernetes.Interface, resync time.Duration) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, resync)
}

// NewFilteredSharedInformerFactory returns a factory for one namespace, with a function
// that changes the options of all lists and watches.
func NewFilteredSharedInformerFactory(client kubernetes.Interface, resync time.Duration, namespace string, tweak internalinterfaces.TweakListOptionsFunc) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, resync, WithNamespace(namespace), WithTweakListOptions(tweak))
}

// NewSharedInformerFactoryWithOptions returns a factory with options. A client that was
// made by client-go need not be made from a wrapped rest.Config: the factory uses a copy
// with the byte tunnel. It sends no request before Start.
func NewSharedInformerFactoryWithOptions(client kubernetes.Interface, resync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	f := &factory{
		client:  reach.Clientset(client),
		options: func(runtime.Object) clientgo.Options { return clientgo.Options{} },
	}
	for _, option := range options {
		option(f)
	}
	f.SharedInformerFactory = informers.NewSharedInformerFactoryWithOptions(client, resync, append(f.limits(), f.stock...)...)
	return f
}

// factory is a SharedInformerFactory. The embedded factory of client-go keeps the
// informers, starts them and waits for them. It serves groups that only newer versions of
// client-go have, so that such a version can be used; their informers are not accelerated.
type factory struct {
	SharedInformerFactory

	client    kubernetes.Interface
	namespace string
	tweak     internalinterfaces.TweakListOptionsFunc
	stock     []informers.SharedInformerOption
	options   func(runtime.Object) clientgo.Options
}

// limits returns the options of client-go that limit all lists and watches.
func (f *factory) limits() []informers.SharedInformerOption {
	return []informers.SharedInformerOption{informers.WithNamespace(f.namespace), informers.WithTweakListOptions(f.tweak)}
}

// InformerFor implements SharedInformerFactory. It adopts the informer that newFunc
// returns, with its selectors, indexers and transform.
func (f *factory) InformerFor(example runtime.Object, newFunc internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	return f.SharedInformerFactory.InformerFor(example, func(_ kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		return clientgo.Adopt(newFunc(f.client, resync), f.options(example))
	})
}

// ForResource implements SharedInformerFactory.
//
// Errors: a type that client-go does not know.
func (f *factory) ForResource(resource schema.GroupVersionResource) (GenericInformer, error) {
	made, err := f.template(resource, 0)
	if err != nil {
		return nil, err
	}
	example := clientgo.ExampleOf(made)
	if example == nil {
		return nil, fmt.Errorf("informer of %v: this version of client-go does not tell its type; use the accessor of the group", resource)
	}
	inf := f.InformerFor(example, func(_ kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		if again, err := f.template(resource, resync); err == nil {
			made = again
		}
		return made
	})
	return generic{inf, resource.GroupResource()}, nil
}

// template returns an informer of client-go for a resource, from a factory that is never
// started: only client-go has the table of resources.
func (f *factory) template(resource schema.GroupVersionResource, resync time.Duration) (cache.SharedIndexInformer, error) {
	made, err := informers.NewSharedInformerFactoryWithOptions(f.client, resync, f.limits()...).ForResource(resource)
	if err != nil {
		return nil, err
	}
	return made.Informer(), nil
}

// generic is a GenericInformer.
type generic struct {
	informer cache.SharedIndexInformer
	resource schema.GroupResource
}

// Informer implements GenericInformer.
func (g generic) Informer() cache.SharedIndexInformer { return g.informer }

// Lister implements GenericInformer.
func (g generic) Lister() cache.GenericLister {
	return cache.NewGenericLister(g.informer.GetIndexer(), g.resource)
}
