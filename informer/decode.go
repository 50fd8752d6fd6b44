package informer

import (
	"bytes"
	"container/list"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// memo caches the object that an index last decoded, so that several indexes over one
// type decode a record once. The lock of the store guards it: the store computes
// indexes under that lock, in AddIndex too.
type memo struct {
	record wire.Record // in memory of its own
	object any
}

// is reports whether rec is the record of the memo. Its version does not prove it, because
// the server may show other content at the same version.
func (m *memo) is(rec *wire.Record) bool {
	of := &m.record
	return of.Version == rec.Version && of.Encoding == rec.Encoding && of.UID == rec.UID && of.Key == rec.Key && bytes.Equal(of.Body, rec.Body)
}

// set remembers the object of a record.
func (m *memo) set(rec *wire.Record, object any) {
	body := append(m.record.Body[:0], rec.Body...)
	m.record, m.object = *rec, object
	m.record.Body = body
}

// decoder turns entries into objects of type T.
type decoder[T any] struct {
	cache *objectCache[T] // nil if there is no cache
	count *atomic.Uint64
	completion
}

// entry returns the object of an entry: the shared object of a Live store, a copy of a
// cached object, or a new object.
func (d *decoder[T]) entry(e store.Entry) (*T, error) {
	if shared, err := e.Object(); shared != nil || err != nil {
		obj, ok := shared.(*T)
		if ok || err != nil {
			return obj, err
		}
	}
	if d.cache != nil {
		if obj := d.cache.get(e); obj != nil {
			return obj, nil
		}
	}
	obj, err := d.record(e.Record())
	if err == nil && d.cache != nil {
		d.cache.put(e, obj)
	}
	return obj, err
}

func (d *decoder[T]) record(rec wire.Record) (*T, error) {
	d.count.Add(1)
	obj, err := wire.Codec[T]{}.Decode(rec)
	if err == nil {
		d.complete(obj)
	}
	return obj, err
}

// copier is implemented by the pointers to API types.
type copier[T any] interface{ DeepCopyInto(out *T) }

// copies reports whether objects of type T can be copied.
func copies[T any]() bool {
	_, ok := any(new(T)).(copier[T])
	return ok
}

// objectCache caches decoded objects. It evicts the least recently used ones.
type objectCache[T any] struct {
	mu    sync.Mutex
	size  int
	order *list.List // of cachedObject, the most recently used first
	byID  map[store.Entry]*list.Element
}

type cachedObject[T any] struct {
	entry  store.Entry
	object *T
}

func newObjectCache[T any](size int) *objectCache[T] {
	if size == 0 || !copies[T]() {
		return nil
	}
	return &objectCache[T]{size: size, order: list.New(), byID: map[store.Entry]*list.Element{}}
}

// get returns a copy of the object; nil if the object is not cached.
func (h *objectCache[T]) get(e store.Entry) *T {
	cached := h.find(e)
	if cached == nil {
		return nil
	}
	return clone(cached)
}

func (h *objectCache[T]) find(e store.Entry) *T {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, ok := h.byID[e]
	if !ok {
		return nil
	}
	h.order.MoveToFront(at)
	return at.Value.(cachedObject[T]).object
}

// put caches a copy of the object.
func (h *objectCache[T]) put(e store.Entry, obj *T) {
	copied := clone(obj)
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.byID[e]; ok {
		return
	}
	h.byID[e] = h.order.PushFront(cachedObject[T]{e, copied})
	if h.order.Len() > h.size {
		oldest := h.order.Remove(h.order.Back()).(cachedObject[T])
		delete(h.byID, oldest.entry)
	}
}

func clone[T any](obj *T) *T {
	out := new(T)
	any(obj).(copier[T]).DeepCopyInto(out)
	return out
}

// name returns the name of T for messages.
func name[T any]() string { return reflect.TypeFor[T]().String() }
