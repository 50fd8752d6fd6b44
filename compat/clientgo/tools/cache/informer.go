package cache

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
)

// NewSharedInformer returns an informer without indexers.
func NewSharedInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration) cache.SharedInformer {
	return NewSharedIndexInformer(lw, example, resync, cache.Indexers{})
}

// NewSharedIndexInformer returns an informer.
func NewSharedIndexInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, example, cache.SharedIndexInformerOptions{ResyncPeriod: resync, Indexers: indexers})
}

// NewSharedIndexInformerWithOptions returns an informer. clientgo.NewSharedIndexInformer
// takes the options of Vedette too.
func NewSharedIndexInformerWithOptions(lw cache.ListerWatcher, example runtime.Object, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	return clientgo.NewSharedIndexInformer(lw, example, options, clientgo.Options{})
}

// NewInformer returns a store, and a controller that fills it and calls a handler.
func NewInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, h cache.ResourceEventHandler) (cache.Store, cache.Controller) {
	return NewInformerWithOptions(cache.InformerOptions{ListerWatcher: lw, ObjectType: example, Handler: h, ResyncPeriod: resync})
}

// NewIndexerInformer is NewInformer with indexers.
func NewIndexerInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, h cache.ResourceEventHandler, indexers cache.Indexers) (cache.Indexer, cache.Controller) {
	return single(cache.InformerOptions{ListerWatcher: lw, ObjectType: example, Handler: h, ResyncPeriod: resync, Indexers: indexers})
}

// NewTransformingInformer is NewInformer with a transform.
func NewTransformingInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, h cache.ResourceEventHandler, transform cache.TransformFunc) (cache.Store, cache.Controller) {
	return NewInformerWithOptions(cache.InformerOptions{ListerWatcher: lw, ObjectType: example, Handler: h, ResyncPeriod: resync, Transform: transform})
}

// NewTransformingIndexerInformer is NewIndexerInformer with a transform.
func NewTransformingIndexerInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, h cache.ResourceEventHandler, indexers cache.Indexers, transform cache.TransformFunc) (cache.Indexer, cache.Controller) {
	return single(cache.InformerOptions{ListerWatcher: lw, ObjectType: example, Handler: h, ResyncPeriod: resync, Indexers: indexers, Transform: transform})
}

// NewInformerWithOptions returns a store, and a controller that fills it and calls a
// handler. The store is a cache.Indexer if the options have indexers. MinWatchTimeout has
// no effect.
func NewInformerWithOptions(options cache.InformerOptions) (cache.Store, cache.Controller) {
	return single(options)
}

// single returns an informer with one handler.
func single(options cache.InformerOptions) (cache.Indexer, cache.Controller) {
	inf := clientgo.NewSharedIndexInformer(options.ListerWatcher, options.ObjectType, cache.SharedIndexInformerOptions{
		ResyncPeriod: options.ResyncPeriod, Indexers: options.Indexers,
	}, clientgo.Options{})
	c := controller{inf, inf}
	if options.Transform != nil {
		_ = inf.SetTransform(options.Transform) // it has not started
	}
	if options.Handler != nil {
		if reg, err := inf.AddEventHandler(options.Handler); err == nil { // it has not stopped
			c.ResourceEventHandlerRegistration = reg
		}
	}
	return inf.GetIndexer(), c
}

// controller runs an informer with one handler.
type controller struct {
	cache.ResourceEventHandlerRegistration // the handler, or the informer without one

	informer cache.SharedIndexInformer
}

// Run implements cache.Controller.
func (c controller) Run(stop <-chan struct{}) { c.RunWithContext(wait.ContextForChannel(stop)) }

// RunWithContext implements cache.Controller.
func (c controller) RunWithContext(ctx context.Context) { c.informer.RunWithContext(ctx) }

// LastSyncResourceVersion implements cache.Controller.
func (c controller) LastSyncResourceVersion() string { return c.informer.LastSyncResourceVersion() }
