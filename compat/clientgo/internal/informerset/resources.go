package informerset

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Resources is a factory of informers by resource, as the dynamic and metadata clients of
// client-go have. The functions must be set.
type Resources struct {
	// New makes the informer of a resource.
	New func(schema.GroupVersionResource) cache.SharedIndexInformer
	// Lister makes a lister over the indexer of that informer.
	Lister func(cache.Indexer, schema.GroupVersionResource) cache.GenericLister

	set Set[schema.GroupVersionResource]
}

// ByNamespace returns the indexers that each informer of such a factory has.
func ByNamespace() cache.Indexers {
	return cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
}

// ForResource returns the informer of a resource, which the first call makes.
func (r *Resources) ForResource(resource schema.GroupVersionResource) informers.GenericInformer {
	inf := r.set.Get(resource, func() cache.SharedIndexInformer { return r.New(resource) })
	return Resource{SharedIndexInformer: inf, Resource: resource, NewLister: r.Lister}
}

// Start runs the informers that do not run yet until stop is closed.
func (r *Resources) Start(stop <-chan struct{}) { r.set.Start(wait.ContextForChannel(stop)) }

// WaitForCacheSync waits until all informers that were started are synced, or stop is
// closed. It returns which of them are.
func (r *Resources) WaitForCacheSync(stop <-chan struct{}) map[schema.GroupVersionResource]bool {
	synced, _ := r.set.Wait(wait.ContextForChannel(stop)) // the map says which are not
	return synced
}

// Shutdown waits until all informers have ended, and lets no other start.
func (r *Resources) Shutdown() { r.set.Shutdown() }

// Resource is the informer of a resource, with its lister.
type Resource struct {
	SharedIndexInformer cache.SharedIndexInformer
	Resource            schema.GroupVersionResource
	NewLister           func(cache.Indexer, schema.GroupVersionResource) cache.GenericLister
}

// Informer implements informers.GenericInformer.
func (r Resource) Informer() cache.SharedIndexInformer { return r.SharedIndexInformer }

// Lister implements informers.GenericInformer.
func (r Resource) Lister() cache.GenericLister {
	return r.NewLister(r.SharedIndexInformer.GetIndexer(), r.Resource)
}
