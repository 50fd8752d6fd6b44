package dynamicinformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/internal/informerset"
	"github.com/vedette-io/vedette/compat/clientgo/internal/reach"
)

type (
	// DynamicSharedInformerFactory is client-go's.
	DynamicSharedInformerFactory = dynamicinformer.DynamicSharedInformerFactory
	// TweakListOptionsFunc is client-go's.
	TweakListOptionsFunc = dynamicinformer.TweakListOptionsFunc
)

// NewDynamicSharedInformerFactory returns a factory for all namespaces.
func NewDynamicSharedInformerFactory(client dynamic.Interface, resync time.Duration) DynamicSharedInformerFactory {
	return NewFilteredDynamicSharedInformerFactory(client, resync, metav1.NamespaceAll, nil)
}

// NewFilteredDynamicSharedInformerFactory returns a factory for one namespace, with a
// function that changes the options of all lists and watches. It sends no request before
// Start.
func NewFilteredDynamicSharedInformerFactory(client dynamic.Interface, resync time.Duration, namespace string, tweak TweakListOptionsFunc) DynamicSharedInformerFactory {
	client = reach.Dynamic(client)
	return &informerset.Resources{Lister: lister, New: func(resource schema.GroupVersionResource) cache.SharedIndexInformer {
		return NewFilteredDynamicInformer(client, resource, namespace, resync, informerset.ByNamespace(), tweak).Informer()
	}}
}

// NewFilteredDynamicInformer returns one informer with a lister.
func NewFilteredDynamicInformer(client dynamic.Interface, resource schema.GroupVersionResource, namespace string, resync time.Duration, indexers cache.Indexers, tweak TweakListOptionsFunc) informers.GenericInformer {
	made := dynamicinformer.NewFilteredDynamicInformer(reach.Dynamic(client), resource, namespace, resync, indexers, tweak)
	return informerset.Resource{SharedIndexInformer: clientgo.Adopt(made.Informer(), clientgo.Options{}), Resource: resource, NewLister: lister}
}

// lister returns a lister of unstructured objects.
func lister(x cache.Indexer, resource schema.GroupVersionResource) cache.GenericLister {
	return dynamiclister.NewRuntimeObjectShim(dynamiclister.New(x, resource))
}
