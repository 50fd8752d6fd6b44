// Package cache has the constructors that copied tests of tools/cache call.
package cache

//lint:file-ignore SA1019 The copied tests call deprecated constructors.

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	mirror "github.com/vedette-io/vedette/compat/clientgo/tools/cache"
	"github.com/vedette-io/vedette/conformance/suites/swap/engine"
)

// NewSharedInformer replaces the function of tools/cache.
func NewSharedInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration) cache.SharedInformer {
	if engine.Ours() {
		return mirror.NewSharedInformer(engine.Source(lw, example), example, resync)
	}
	return cache.NewSharedInformer(engine.Source(lw, example), example, resync)
}

// NewSharedIndexInformer replaces the function of tools/cache.
func NewSharedIndexInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	if engine.Ours() {
		return mirror.NewSharedIndexInformer(engine.Source(lw, example), example, resync, indexers)
	}
	return cache.NewSharedIndexInformer(engine.Source(lw, example), example, resync, indexers)
}

// NewInformer replaces the function of tools/cache.
func NewInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, h cache.ResourceEventHandler) (cache.Store, cache.Controller) {
	if engine.Ours() {
		return mirror.NewInformer(engine.Source(lw, example), example, resync, h)
	}
	return cache.NewInformer(engine.Source(lw, example), example, resync, h)
}

// NewTransformingInformer replaces the function of tools/cache.
func NewTransformingInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, h cache.ResourceEventHandler, f cache.TransformFunc) (cache.Store, cache.Controller) {
	if engine.Ours() {
		return mirror.NewTransformingInformer(engine.Source(lw, example), example, resync, h, f)
	}
	return cache.NewTransformingInformer(engine.Source(lw, example), example, resync, h, f)
}
