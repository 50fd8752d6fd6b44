package clientgo

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// indexer is a cache.Indexer over the store of the engine. Each query is answered from
// one snapshot. Objects that cannot be decoded are left out, and reported.
type indexer struct {
	snapshot func() *store.Snapshot
	add      func(store.Extract) *store.Index
	shared   *sharedObjects
	invalid  func(error) // gets what cannot be decoded
	kept     *keptLists  // nil for Live, whose objects are decoded anyway
	overlay  overlay

	mu    sync.RWMutex
	funcs cache.Indexers
	index map[string]*store.Index // nil for the index by namespace, which the order of keys is
}

// reader answers queries with objects in one form: decoded, or lazy.
type reader struct {
	*indexer
	isLazy bool
}

// decoded returns a reader of decoded objects.
func (x *indexer) decoded() reader { return reader{x, false} }

// lazy returns a reader of lazy objects, or of the objects of a Live store.
func (x *indexer) lazy() reader { return reader{x, true} }

// object returns the object of an entry.
func (x reader) object(e store.Entry) (any, error) {
	if !x.isLazy || x.shared.demand.small() {
		return x.shared.read(e)
	}
	if obj, err := e.Object(); obj != nil || err != nil {
		return obj, err
	}
	return &lazy{entry: e, shared: x.shared, invalid: x.invalid}, nil
}

// keeps returns the object of an entry for a list that is kept.
func (x reader) keeps(e, was store.Entry, like any) (any, bool) {
	if obj, err := e.Object(); obj != nil && err == nil {
		return obj, true
	}
	if x.isLazy {
		l := &lazy{entry: e, shared: x.shared, invalid: x.invalid}
		return l.after(like), true
	}
	obj, err := x.shared.like(e, was, like)
	if err != nil {
		x.invalid(err)
	}
	return obj, err == nil
}

// List implements cache.Store. The objects are ordered by key.
func (x *indexer) List() []any { return x.decoded().List() }

// List implements cache.Store.
func (x reader) List() []any {
	now := x.snapshot()
	if x.keepsLists() {
		return x.kept.list(question{all: true, lazy: x.isLazy}, now.All(), now.Len(), x.keeps)
	}
	return x.objects(now, now.All(), now.Len(), func(any) bool { return true })
}

// keepsLists reports whether lists are kept. The objects of a small store are decoded in the
// store itself once they are read.
func (x *indexer) keepsLists() bool {
	return x.kept != nil && !x.shared.demand.small() && !x.overlay.used.Load()
}

// objects decodes entries, and puts those objects over them that were written by hand.
// wanted says which of the latter belong to the query.
func (x reader) objects(now *store.Snapshot, entries iter.Seq[store.Entry], n int, wanted func(any) bool) []any {
	all := make([]any, 0, n)
	hidden := map[string]bool{}
	x.overlay.each(func(key string) revision { return revisionAt(now, key) }, func(key string, obj any) {
		hidden[key] = true
		if obj != nil && wanted(obj) {
			all = append(all, obj)
		}
	})
	for e := range entries {
		if len(hidden) > 0 && hidden[e.Key().String()] {
			continue
		}
		if obj, err := x.object(e); err == nil {
			all = append(all, obj)
		} else {
			x.invalid(err)
		}
	}
	return all
}

// ListKeys implements cache.Store. Nothing is decoded.
func (x *indexer) ListKeys() []string {
	now := x.snapshot()
	return x.keys(now, now.All(), func(any) bool { return true })
}

func (x *indexer) keys(now *store.Snapshot, entries iter.Seq[store.Entry], wanted func(any) bool) []string {
	var all []string
	hidden := map[string]bool{}
	x.overlay.each(func(key string) revision { return revisionAt(now, key) }, func(key string, obj any) {
		hidden[key] = true
		if obj != nil && wanted(obj) {
			all = append(all, key)
		}
	})
	for e := range entries {
		if key := e.Key().String(); !hidden[key] {
			all = append(all, key)
		}
	}
	return all
}

// Get implements cache.Store.
func (x *indexer) Get(obj any) (any, bool, error) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return nil, false, cache.KeyError{Obj: obj, Err: err}
	}
	return x.GetByKey(key)
}

// GetByKey implements cache.Store.
func (x *indexer) GetByKey(key string) (any, bool, error) { return x.decoded().GetByKey(key) }

// GetByKey implements cache.Store.
func (x reader) GetByKey(key string) (any, bool, error) {
	e, ok := x.snapshot().Get(wireKey(key))
	if x.overlay.used.Load() {
		over := revision{}
		if ok {
			over = revisionOf(e)
		}
		if obj, counts := x.overlay.get(key, over); counts {
			return obj, obj != nil, nil
		}
	}
	if !ok {
		return nil, false, nil
	}
	obj, err := x.object(e)
	if err != nil {
		return nil, false, err
	}
	return obj, true, nil
}

// Add implements cache.Store, by hand: the server does not know of it.
func (x *indexer) Add(obj any) error {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return cache.KeyError{Obj: obj, Err: err}
	}
	x.overlay.put(key, obj, revisionAt(x.snapshot(), key))
	return nil
}

// Update implements cache.Store, by hand.
func (x *indexer) Update(obj any) error { return x.Add(obj) }

// Delete implements cache.Store, by hand.
func (x *indexer) Delete(obj any) error {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return cache.KeyError{Obj: obj, Err: err}
	}
	x.overlay.put(key, nil, revisionAt(x.snapshot(), key))
	return nil
}

// Replace implements cache.Store, by hand.
func (x *indexer) Replace(list []any, _ string) error {
	for _, key := range x.ListKeys() {
		x.overlay.put(key, nil, revisionAt(x.snapshot(), key))
	}
	var errs []error
	for _, obj := range list {
		errs = append(errs, x.Add(obj))
	}
	return errors.Join(errs...)
}

// Resync implements cache.Store. The engine resyncs each handler.
func (x *indexer) Resync() error { return nil }

// LastStoreSyncResourceVersion implements cache.Store.
func (x *indexer) LastStoreSyncResourceVersion() string { return x.snapshot().Version().String() }

// Bookmark implements cache.Store. The engine takes bookmarks from its watch.
func (x *indexer) Bookmark(string) {}

// GetIndexers implements cache.Indexer. The caller owns the map.
func (x *indexer) GetIndexers() cache.Indexers {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return maps.Clone(x.funcs)
}

// AddIndexers implements cache.Indexer.
//
// Errors: a name that is taken; then none is added.
func (x *indexer) AddIndexers(more cache.Indexers) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range more {
		if _, taken := x.funcs[name]; taken {
			return fmt.Errorf("add indexers: there is an index %q already", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		x.funcs[name] = more[name]
		if !isNamespaceIndex(more[name]) {
			x.shared.demand.indexes.Add(1)
			x.index[name] = x.add(x.extract(more[name]))
		}
	}
	return nil
}

// isNamespaceIndex reports whether f is client-go's index by namespace. The store is
// ordered by namespace, so it needs no index and no object.
func isNamespaceIndex(f cache.IndexFunc) bool {
	return reflect.ValueOf(f).Pointer() == reflect.ValueOf(cache.MetaNamespaceIndexFunc).Pointer()
}

// extract returns the function that computes the values of an index, on the goroutine
// that writes to the store.
func (x *indexer) extract(f cache.IndexFunc) store.Extract {
	return func(dst []string, rec *wire.Record, obj any) []string {
		if obj == nil {
			if len(rec.Body) == 0 {
				return dst // Live: the object could not be decoded, which is reported
			}
			var err error
			if obj, err = x.shared.record(rec); err != nil {
				x.invalid(err)
				return dst
			}
		}
		values, err := f(obj)
		if err != nil {
			x.invalid(fmt.Errorf("index %s: %w", rec.Key, err))
			return dst
		}
		return append(dst, values...)
	}
}

// lookup returns an index by its name.
func (x *indexer) lookup(name string) (cache.IndexFunc, *store.Index, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	f, ok := x.funcs[name]
	if !ok {
		return nil, nil, fmt.Errorf("there is no index %q", name)
	}
	return f, x.index[name], nil
}

// having returns the entries that have a value in an index.
func having(now *store.Snapshot, index *store.Index, value string) iter.Seq[store.Entry] {
	switch {
	case index != nil:
		return index.Get(now, value)
	case value != "":
		return now.Namespace(value)
	}
	return func(yield func(store.Entry) bool) { // cluster-scoped objects come first
		for e := range now.All() {
			if e.Key().Namespace != "" || !yield(e) {
				return
			}
		}
	}
}

// has reports whether an object that was written by hand has a value.
func has(f cache.IndexFunc, value string) func(any) bool {
	return func(obj any) bool {
		values, err := f(obj)
		return err == nil && slices.Contains(values, value)
	}
}

// ByIndex implements cache.Indexer.
func (x *indexer) ByIndex(name, value string) ([]any, error) { return x.decoded().ByIndex(name, value) }

// ByIndex implements cache.Indexer.
func (x reader) ByIndex(name, value string) ([]any, error) {
	f, index, err := x.lookup(name)
	if err != nil {
		return nil, err
	}
	now := x.snapshot()
	if index == nil && x.keepsLists() {
		return x.kept.list(question{namespace: value, lazy: x.isLazy}, having(now, nil, value), 0, x.keeps), nil
	}
	return x.objects(now, having(now, index, value), 0, has(f, value)), nil
}

// IndexKeys implements cache.Indexer. Nothing is decoded.
func (x *indexer) IndexKeys(name, value string) ([]string, error) {
	f, index, err := x.lookup(name)
	if err != nil {
		return nil, err
	}
	now := x.snapshot()
	keys := x.keys(now, having(now, index, value), has(f, value))
	slices.Sort(keys)
	return keys, nil
}

// Index implements cache.Indexer.
func (x *indexer) Index(name string, obj any) ([]any, error) { return x.decoded().Index(name, obj) }

// Index implements cache.Indexer.
func (x reader) Index(name string, obj any) ([]any, error) {
	f, index, err := x.lookup(name)
	if err != nil {
		return nil, err
	}
	values, err := f(obj)
	if err != nil {
		return nil, err
	}
	now := x.snapshot()
	if len(values) == 1 {
		return x.objects(now, having(now, index, values[0]), 0, has(f, values[0])), nil
	}
	return x.union(now, f, index, values), nil
}

// union returns each object once that has one of several values.
func (x reader) union(now *store.Snapshot, f cache.IndexFunc, index *store.Index, values []string) []any {
	seen := map[wire.Key]bool{}
	entries := func(yield func(store.Entry) bool) {
		for _, value := range values {
			for e := range having(now, index, value) {
				if key := e.Key(); !seen[key] {
					seen[key] = true
					if !yield(e) {
						return
					}
				}
			}
		}
	}
	return x.objects(now, entries, 0, func(obj any) bool {
		own, err := f(obj)
		return err == nil && slices.ContainsFunc(own, func(v string) bool { return slices.Contains(values, v) })
	})
}

// ListIndexFuncValues implements cache.Indexer.
func (x *indexer) ListIndexFuncValues(name string) []string {
	f, index, err := x.lookup(name)
	if err != nil {
		return nil
	}
	now := x.snapshot()
	values := map[string]bool{}
	if index == nil {
		for e := range now.All() {
			values[e.Key().Namespace] = true
		}
	} else {
		for value := range index.Values(now) {
			values[value] = true
		}
	}
	x.overlay.each(func(key string) revision { return revisionAt(now, key) }, func(_ string, obj any) {
		if obj == nil {
			return
		}
		if own, err := f(obj); err == nil {
			for _, v := range own {
				values[v] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(values))
}
