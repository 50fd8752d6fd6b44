package informer

import (
	"errors"
	"iter"
	"maps"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// ErrOtherView is what reading a snapshot returns that was taken from the view of
// another factory, or before the informer was there.
var ErrOtherView = errors.New("informer: the view is of another factory, or older than the informer")

// View is what all informers of a factory held at one instant. Taking one costs
// nothing, and it never changes. Informer.In shows one of them in it.
type View = store.View

// Snapshot is what an informer held at one instant. It never changes, and any
// number of goroutines may read it.
type Snapshot[T any] struct {
	inf     *Informer[T]
	records *store.Snapshot // nil if the view does not have it
}

// Snapshot returns all objects as they are now. It costs nothing.
func (i *Informer[T]) Snapshot() Snapshot[T] { return Snapshot[T]{i, i.engine.store.Snapshot()} }

// In returns what the informer held at the instant of a view. If the view does
// not have it, the snapshot is empty and its reads return ErrOtherView.
func (i *Informer[T]) In(v View) Snapshot[T] { return Snapshot[T]{i, i.engine.store.In(v)} }

// View returns what the informer, and all others of its factory, hold now.
func (i *Informer[T]) View() View { return i.engine.store.View() }

// Get decodes the object with a key. ok is false where there is none.
//
// Errors: what the decoder says; ErrOtherView.
func (s Snapshot[T]) Get(key wire.Key) (obj *T, ok bool, err error) {
	if s.records == nil {
		return nil, false, ErrOtherView
	}
	e, ok := s.records.Get(key)
	if !ok {
		return nil, false, nil
	}
	obj, err = s.inf.decoder.entry(e)
	return obj, true, err
}

// All decodes one object after the other, ordered by cluster, namespace and
// name. An object that can not be decoded comes as an error, and the sequence
// goes on.
func (s Snapshot[T]) All() iter.Seq2[*T, error] {
	return s.decoded(func() iter.Seq[store.Entry] { return s.records.All() })
}

// Namespace decodes the objects of one namespace, ordered by name, like All.
func (s Snapshot[T]) Namespace(name string) iter.Seq2[*T, error] {
	return s.Within(delta.Scope{Namespace: name})
}

// Within decodes the objects of one cluster, or of one namespace of it, like
// All.
func (s Snapshot[T]) Within(scope delta.Scope) iter.Seq2[*T, error] {
	return s.decoded(func() iter.Seq[store.Entry] { return s.records.Within(scope) })
}

// Select decodes the objects whose labels match, like All: those of all
// namespaces, or if some are named of these, in that order. Labels are read off
// the bytes of all objects there; only those that match are decoded. For a label
// that is asked for often, IndexField is faster.
func (s Snapshot[T]) Select(selector labels.Selector, namespaces ...string) iter.Seq2[*T, error] {
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	return s.decoded(func() iter.Seq[store.Entry] {
		return func(yield func(store.Entry) bool) {
			for _, namespace := range namespaces {
				all := s.records.All()
				if namespace != "" {
					all = s.records.Namespace(namespace)
				}
				for e := range all {
					if selector.Matches(labelsOf(e)) && !yield(e) {
						return
					}
				}
			}
		}
	})
}

// Records returns the store's snapshot: keys, versions and bytes, not decoded;
// nil if the view does not have it.
func (s Snapshot[T]) Records() *store.Snapshot { return s.records }

// Len returns the number of objects.
func (s Snapshot[T]) Len() int {
	if s.records == nil {
		return 0
	}
	return s.records.Len()
}

// Version returns the resourceVersion that the snapshot shows.
func (s Snapshot[T]) Version() wire.Version {
	if s.records == nil {
		return 0
	}
	return s.records.Version()
}

func (s Snapshot[T]) decoded(entries func() iter.Seq[store.Entry]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if s.records == nil {
			yield(nil, ErrOtherView)
			return
		}
		for e := range entries() {
			if !yield(s.inf.decoder.entry(e)) {
				return
			}
		}
	}
}

// labelsOf reads the labels off an entry.
func labelsOf(e store.Entry) labels.Set {
	set := labels.Set{}
	maps.Insert(set, e.Record().Labels())
	return set
}
