//go:build clientgo037

package cache

import "k8s.io/client-go/tools/cache"

// NewTypedSharedIndexInformer is that of client-go.
func NewTypedSharedIndexInformer[T cache.Object](informer cache.SharedIndexInformer) cache.TypedSharedIndexInformer[T] {
	return cache.NewTypedSharedIndexInformer[T](informer)
}

// TypedIndexersToIndexers is that of client-go.
func TypedIndexersToIndexers[T any](typed cache.TypedIndexers[T]) cache.Indexers {
	return cache.TypedIndexersToIndexers(typed)
}

// TypedIndexerFuncToIndexerFunc is that of client-go.
func TypedIndexerFuncToIndexerFunc[T any](typed cache.TypedIndexFunc[T]) cache.IndexFunc {
	return cache.TypedIndexerFuncToIndexerFunc(typed)
}
