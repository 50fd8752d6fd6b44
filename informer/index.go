package informer

import (
	"iter"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Index finds the objects of an informer by a value. It is created by IndexBy,
// IndexByOptional, IndexByEach or IndexField, and may be used by any goroutine. The
// empty string is a value like any other.
type Index[T any] struct {
	inf   *Informer[T]
	index *store.Index
}

// IndexBy adds an index over the value that a function returns for each object. Every
// object is in the index, even if the function returns "": the pods with the node ""
// are the unscheduled ones. The function is called once per revision, on the goroutine
// that writes to the store: it must be quick and must not keep the object. An object
// that cannot be decoded is not in the index.
//
// IndexBy may be called at any time, from any goroutine. While the informer runs, it
// reads all objects once. For a snapshot that was taken before, each lookup in the
// index reads all objects.
func IndexBy[T any](i *Informer[T], value func(*T) string) *Index[T] {
	return IndexByEach(i, func(obj *T) []string { return []string{value(obj)} })
}

// IndexByOptional is IndexBy for objects that may have no value: if the function
// returns false, the object is not in the index.
func IndexByOptional[T any](i *Informer[T], value func(*T) (string, bool)) *Index[T] {
	return IndexByEach(i, func(obj *T) []string {
		if v, ok := value(obj); ok {
			return []string{v}
		}
		return nil
	})
}

// IndexByEach is IndexBy for objects that have several values, or none: if the function
// returns an empty list, the object is not in the index.
func IndexByEach[T any](i *Informer[T], values func(*T) []string) *Index[T] {
	e := i.engine
	return &Index[T]{i, e.store.AddIndex(func(dst []string, rec *wire.Record, shared any) []string {
		obj, ok := shared.(*T)
		if !ok {
			if obj, ok = remembered[T](&e.memo, rec); !ok {
				return dst
			}
		}
		return append(dst, values(obj)...)
	})}
}

// IndexRecords adds an index over the values that a function reads from each encoded
// record. See store.Extract for the rules of the function. Like IndexBy, IndexRecords may
// be called at any time.
func (i *Informer[T]) IndexRecords(extract store.Extract) *store.Index {
	return i.engine.store.AddIndex(extract)
}

// KeepObject makes an informer with Config.KeepObject keep an object in place of the body;
// see store.Store.KeepObject.
func (i *Informer[T]) KeepObject(e store.Entry, object any) (kept any, ok bool) {
	return i.engine.store.KeepObject(e, object)
}

// remembered decodes a record, unless another index has just decoded it.
func remembered[T any](m *memo, rec *wire.Record) (*T, bool) {
	if len(rec.Body) == 0 {
		return nil, false
	}
	if obj, ok := m.object.(*T); ok && m.is(rec) {
		return obj, true
	}
	obj, err := wire.Codec[T]{}.Decode(*rec)
	if err != nil {
		return nil, false
	}
	m.set(rec, obj)
	return obj, true
}

// Get decodes the objects that have a value, ordered by key, like Snapshot.All.
func (x *Index[T]) Get(s Snapshot[T], value string) iter.Seq2[*T, error] {
	return s.decoded(func() iter.Seq[store.Entry] { return x.index.Get(s.records, value) })
}

// Keys returns the keys of the objects that have a value, in order. It decodes nothing.
//
// Errors: ErrNotSynced; the sequence is empty then.
func (x *Index[T]) Keys(s Snapshot[T], value string) (iter.Seq[wire.Key], error) {
	return keysOf(s, func() iter.Seq[store.Entry] { return x.index.Get(s.records, value) })
}

// Len counts the objects that have a value. The cost grows with their number.
//
// Errors: ErrNotSynced.
func (x *Index[T]) Len(s Snapshot[T], value string) (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	return x.index.Len(s.records, value), nil
}

// Values returns all values of the index, in order, each with the number of its objects.
//
// Errors: ErrNotSynced; the sequence is empty then.
func (x *Index[T]) Values(s Snapshot[T]) (iter.Seq2[string, int], error) {
	if err := s.Err(); err != nil {
		return func(func(string, int) bool) {}, err
	}
	return x.index.Values(s.records), nil
}
