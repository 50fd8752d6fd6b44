package metadatainformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/metadata/metadatalister"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/internal/informerset"
	"github.com/vedette-io/vedette/compat/clientgo/internal/reach"
)

type (
	// SharedInformerFactory is client-go's.
	SharedInformerFactory = metadatainformer.SharedInformerFactory
	// TweakListOptionsFunc is client-go's.
	TweakListOptionsFunc = metadatainformer.TweakListOptionsFunc
	// SharedInformerOption configures a factory.
	SharedInformerOption func(*settings)
)

// settings are what options change.
type settings struct{ transform cache.TransformFunc }

// WithTransform sets a transform on all informers.
func WithTransform(transform cache.TransformFunc) SharedInformerOption {
	return func(s *settings) { s.transform = transform }
}

// NewSharedInformerFactory returns a factory for all namespaces.
func NewSharedInformerFactory(client metadata.Interface, resync time.Duration) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(client, resync)
}

// NewFilteredSharedInformerFactory returns a factory for one namespace, with a function
// that changes the options of all lists and watches.
func NewFilteredSharedInformerFactory(client metadata.Interface, resync time.Duration, namespace string, tweak TweakListOptionsFunc) SharedInformerFactory {
	return newFactory(client, resync, namespace, tweak, settings{})
}

// NewSharedInformerFactoryWithOptions returns a factory for all namespaces with options.
// It sends no request before Start.
func NewSharedInformerFactoryWithOptions(client metadata.Interface, resync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	var with settings
	for _, option := range options {
		option(&with)
	}
	return newFactory(client, resync, metav1.NamespaceAll, nil, with)
}

func newFactory(client metadata.Interface, resync time.Duration, namespace string, tweak TweakListOptionsFunc, with settings) SharedInformerFactory {
	client = reach.Metadata(client)
	return &informerset.Resources{Lister: lister, New: func(resource schema.GroupVersionResource) cache.SharedIndexInformer {
		inf := NewFilteredMetadataInformer(client, resource, namespace, resync, informerset.ByNamespace(), tweak).Informer()
		_ = inf.SetTransform(with.transform) // it has not started
		return inf
	}}
}

// NewFilteredMetadataInformer returns one informer with a lister.
func NewFilteredMetadataInformer(client metadata.Interface, resource schema.GroupVersionResource, namespace string, resync time.Duration, indexers cache.Indexers, tweak TweakListOptionsFunc) informers.GenericInformer {
	made := metadatainformer.NewFilteredMetadataInformer(reach.Metadata(client), resource, namespace, resync, indexers, tweak)
	return informerset.Resource{SharedIndexInformer: clientgo.Adopt(made.Informer(), clientgo.Options{}), Resource: resource, NewLister: lister}
}

// lister returns a lister of metadata.
func lister(x cache.Indexer, resource schema.GroupVersionResource) cache.GenericLister {
	return metadatalister.NewRuntimeObjectShim(metadatalister.New(x, resource))
}
