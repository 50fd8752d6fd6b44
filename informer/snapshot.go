package informer

import (
	"iter"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Snapshot is what an informer held at one instant. It never changes, and any
// number of goroutines may read it.
type Snapshot[T any] struct {
	records *store.Snapshot
}

// Get decodes the object with a key. ok is false where there is none.
//
// Errors: what the decoder says.
func (s Snapshot[T]) Get(key wire.Key) (obj *T, ok bool, err error) {
	rec, ok := s.records.Get(key)
	if !ok {
		return nil, false, nil
	}
	obj, err = wire.Codec[T]{}.Decode(rec)
	return obj, true, err
}

// All decodes one object after the other, ordered by namespace and name. An
// object that can not be decoded comes as an error, and the sequence goes on.
func (s Snapshot[T]) All() iter.Seq2[*T, error] { return decoded[T](s.records.All()) }

// Namespace decodes the objects of one namespace, ordered by name, like All.
func (s Snapshot[T]) Namespace(name string) iter.Seq2[*T, error] {
	return decoded[T](s.records.Namespace(name))
}

// Records returns the store's snapshot: keys, versions and bytes, not decoded.
func (s Snapshot[T]) Records() *store.Snapshot { return s.records }

// Len returns the number of objects.
func (s Snapshot[T]) Len() int { return s.records.Len() }

// Version returns the resourceVersion that the snapshot shows.
func (s Snapshot[T]) Version() wire.Version { return s.records.Version() }

func decoded[T any](records iter.Seq[wire.Record]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for rec := range records {
			if !yield(wire.Codec[T]{}.Decode(rec)) {
				return
			}
		}
	}
}
