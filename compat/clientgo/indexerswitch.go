package clientgo

import (
	"sync"

	"k8s.io/client-go/tools/cache"
)

// indexerSwitch is the cache.Indexer that an informer returns. It forwards to the store of
// client-go's informer until the informer runs, and if it is not accelerated; otherwise to
// an indexer over the engine. Callers may keep it.
type indexerSwitch struct {
	mu   sync.RWMutex
	impl cache.Indexer
}

func (x *indexerSwitch) now() cache.Indexer {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.impl
}

// turn replaces the indexer by the result of next. It excludes writes and the addition of
// indexers during the call.
func (x *indexerSwitch) turn(next func(cache.Indexer) cache.Indexer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.impl = next(x.impl)
}

// write calls f with the current indexer, which stays the current one during the call.
func (x *indexerSwitch) write(f func(cache.Indexer) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return f(x.impl)
}

// Add implements cache.Store.
func (x *indexerSwitch) Add(obj any) error {
	return x.write(func(i cache.Indexer) error { return i.Add(obj) })
}

// Update implements cache.Store.
func (x *indexerSwitch) Update(obj any) error {
	return x.write(func(i cache.Indexer) error { return i.Update(obj) })
}

// Delete implements cache.Store.
func (x *indexerSwitch) Delete(obj any) error {
	return x.write(func(i cache.Indexer) error { return i.Delete(obj) })
}

// Replace implements cache.Store.
func (x *indexerSwitch) Replace(list []any, version string) error {
	return x.write(func(i cache.Indexer) error { return i.Replace(list, version) })
}

// AddIndexers implements cache.Indexer.
func (x *indexerSwitch) AddIndexers(more cache.Indexers) error {
	return x.write(func(i cache.Indexer) error { return i.AddIndexers(more) })
}

// List implements cache.Store.
func (x *indexerSwitch) List() []any { return x.now().List() }

// ListKeys implements cache.Store.
func (x *indexerSwitch) ListKeys() []string { return x.now().ListKeys() }

// Get implements cache.Store.
func (x *indexerSwitch) Get(obj any) (any, bool, error) { return x.now().Get(obj) }

// GetByKey implements cache.Store.
func (x *indexerSwitch) GetByKey(key string) (any, bool, error) { return x.now().GetByKey(key) }

// Resync implements cache.Store.
func (x *indexerSwitch) Resync() error { return x.now().Resync() }

// versioned are the methods of cache.Store since client-go 0.36.
type versioned interface {
	LastStoreSyncResourceVersion() string
	Bookmark(version string)
}

// LastStoreSyncResourceVersion implements cache.Store. It returns "" before the informer
// runs if client-go is older.
func (x *indexerSwitch) LastStoreSyncResourceVersion() string {
	if v, ok := x.now().(versioned); ok {
		return v.LastStoreSyncResourceVersion()
	}
	return ""
}

// Bookmark implements cache.Store.
func (x *indexerSwitch) Bookmark(version string) {
	if v, ok := x.now().(versioned); ok {
		v.Bookmark(version)
	}
}

// Index implements cache.Indexer.
func (x *indexerSwitch) Index(name string, obj any) ([]any, error) { return x.now().Index(name, obj) }

// IndexKeys implements cache.Indexer.
func (x *indexerSwitch) IndexKeys(name, value string) ([]string, error) {
	return x.now().IndexKeys(name, value)
}

// ListIndexFuncValues implements cache.Indexer.
func (x *indexerSwitch) ListIndexFuncValues(name string) []string {
	return x.now().ListIndexFuncValues(name)
}

// ByIndex implements cache.Indexer.
func (x *indexerSwitch) ByIndex(name, value string) ([]any, error) {
	return x.now().ByIndex(name, value)
}

// GetIndexers implements cache.Indexer.
func (x *indexerSwitch) GetIndexers() cache.Indexers { return x.now().GetIndexers() }
