package clientgo

import "k8s.io/client-go/tools/cache"

// LazyIndexer returns the indexer of an informer of this package, in a form for readers
// that filter by labels and then copy, such as those of controller-runtime: List, GetByKey
// and ByIndex return objects that are decoded by DeepCopyObject, and only then. They
// implement runtime.Object and metav1.ObjectMetaAccessor, and are not of the type of the
// informer. The functions of GetIndexers take them. With informer.Live, and if the
// informer is not accelerated, the objects are the decoded ones. ok is false for other
// informers.
func LazyIndexer(inf cache.SharedIndexInformer) (x cache.Indexer, ok bool) {
	s, ok := unwrap(inf).(*shared)
	if !ok {
		return nil, false
	}
	return lazyIndexer{s.index}, true
}

// lazyIndexer returns lazy objects.
type lazyIndexer struct{ *indexerSwitch }

// engine returns the indexer over the engine; nil if it is not that one.
func (x lazyIndexer) engine() *indexer {
	own, _ := x.now().(*indexer)
	return own
}

// List implements cache.Store.
func (x lazyIndexer) List() []any {
	if own := x.engine(); own != nil {
		return own.lazy().List()
	}
	return x.indexerSwitch.List()
}

// GetByKey implements cache.Store.
func (x lazyIndexer) GetByKey(key string) (any, bool, error) {
	if own := x.engine(); own != nil {
		return own.lazy().GetByKey(key)
	}
	return x.indexerSwitch.GetByKey(key)
}

// ByIndex implements cache.Indexer.
func (x lazyIndexer) ByIndex(name, value string) ([]any, error) {
	if own := x.engine(); own != nil {
		return own.lazy().ByIndex(name, value)
	}
	return x.indexerSwitch.ByIndex(name, value)
}

// GetIndexers implements cache.Indexer.
func (x lazyIndexer) GetIndexers() cache.Indexers {
	all := x.indexerSwitch.GetIndexers()
	for name, f := range all {
		all[name] = func(obj any) ([]string, error) {
			if l, ok := obj.(*lazy); ok {
				decoded, err := l.shared.entry(l.entry)
				if err != nil {
					return nil, err
				}
				obj = decoded
			}
			return f(obj)
		}
	}
	return all
}
