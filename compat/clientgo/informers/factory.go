package informers

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/internal/informerset"
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

// WithCustomResyncConfig sets a resync period for the types of certain objects.
func WithCustomResyncConfig(periods map[metav1.Object]time.Duration) SharedInformerOption {
	return func(f *factory) {
		for example, period := range periods {
			f.resyncOf[reflect.TypeOf(example)] = period
		}
	}
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
	return func(f *factory) { f.transform = transform }
}

// WithInformerName sets the name of the informers in metrics.
func WithInformerName(name *cache.InformerName) SharedInformerOption {
	return func(f *factory) { f.name = name }
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
		client:   reach.Clientset(client),
		resync:   resync,
		resyncOf: map[reflect.Type]time.Duration{},
		options:  func(runtime.Object) clientgo.Options { return clientgo.Options{} },
	}
	for _, option := range options {
		option(f)
	}
	f.SharedInformerFactory = informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithNamespace(f.namespace),
		informers.WithTweakListOptions(f.tweak), informers.WithTransform(f.transform), informers.WithInformerName(f.name))
	return f
}

// factory is a SharedInformerFactory. The embedded factory of client-go serves groups
// that only newer versions of client-go have, so that such a version can be used; their
// informers are not accelerated.
type factory struct {
	SharedInformerFactory

	client    kubernetes.Interface
	namespace string
	tweak     internalinterfaces.TweakListOptionsFunc
	resync    time.Duration
	resyncOf  map[reflect.Type]time.Duration
	transform cache.TransformFunc
	name      *cache.InformerName
	options   func(runtime.Object) clientgo.Options
	set       informerset.Set[reflect.Type]
}

// InformerName implements SharedInformerFactory.
func (f *factory) InformerName() *cache.InformerName { return f.name }

// Start implements SharedInformerFactory.
func (f *factory) Start(stop <-chan struct{}) { f.StartWithContext(wait.ContextForChannel(stop)) }

// StartWithContext implements SharedInformerFactory.
func (f *factory) StartWithContext(ctx context.Context) {
	f.set.Start(ctx)
	f.SharedInformerFactory.StartWithContext(ctx)
}

// Shutdown implements SharedInformerFactory.
func (f *factory) Shutdown() {
	f.set.Shutdown()
	f.SharedInformerFactory.Shutdown() // which releases the name
}

// WaitForCacheSync implements SharedInformerFactory.
func (f *factory) WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool {
	return f.WaitForCacheSyncWithContext(wait.ContextForChannel(stop)).Synced
}

// WaitForCacheSyncWithContext implements SharedInformerFactory.
func (f *factory) WaitForCacheSyncWithContext(ctx context.Context) cache.SyncResult {
	synced, err := f.set.Wait(ctx)
	newer := f.SharedInformerFactory.WaitForCacheSyncWithContext(ctx)
	maps.Copy(synced, newer.Synced)
	if err == nil {
		err = newer.Err
	}
	return cache.SyncResult{Synced: synced, Err: err}
}

// InformerFor implements SharedInformerFactory. It adopts the informer that newFunc
// returns, with its selectors, indexers and transform.
func (f *factory) InformerFor(example runtime.Object, newFunc internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	key := reflect.TypeOf(example)
	return f.set.Get(key, func() cache.SharedIndexInformer {
		resync, ok := f.resyncOf[key]
		if !ok {
			resync = f.resync
		}
		return f.adopt(example, newFunc(f.client, resync))
	})
}

// adopt puts our informer in the place of a new informer of client-go.
func (f *factory) adopt(example runtime.Object, made cache.SharedIndexInformer) cache.SharedIndexInformer {
	inf := clientgo.Adopt(made, f.options(example))
	if f.transform != nil {
		_ = inf.SetTransform(f.transform) // it has not started
	}
	return inf
}

// ForResource implements SharedInformerFactory.
//
// Errors: a type that client-go does not know.
func (f *factory) ForResource(resource schema.GroupVersionResource) (GenericInformer, error) {
	made, err := f.template(resource, f.resync)
	if err != nil {
		return nil, err
	}
	example := clientgo.ExampleOf(made)
	if example == nil {
		return nil, fmt.Errorf("informer of %v: this version of client-go does not tell its type; use the accessor of the group", resource)
	}
	key := reflect.TypeOf(example)
	inf := f.set.Get(key, func() cache.SharedIndexInformer {
		if resync, ok := f.resyncOf[key]; ok {
			if again, err := f.template(resource, resync); err == nil {
				made = again
			}
		}
		return f.adopt(example, made)
	})
	return generic{inf, resource.GroupResource()}, nil
}

// template returns an informer of client-go for a resource, from a factory that is never
// started: only client-go has the table of resources.
func (f *factory) template(resource schema.GroupVersionResource, resync time.Duration) (cache.SharedIndexInformer, error) {
	stock := informers.NewSharedInformerFactoryWithOptions(f.client, resync, informers.WithNamespace(f.namespace), informers.WithTweakListOptions(f.tweak))
	made, err := stock.ForResource(resource)
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
