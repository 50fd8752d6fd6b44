package informer

import (
	"errors"
	"fmt"
	"iter"
	"maps"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// ErrNotSynced is the error for reading an informer that has not synced: the informer is
// not running, or its first list is not complete.
var ErrNotSynced = errors.New("informer: not synced, so objects may be missing")

// View holds the objects of all informers of a factory at one instant. Taking a view takes
// constant time, and a snapshot in it never changes. Informer.In returns the snapshot
// of one informer. Err reports whether an informer that had not synced was read.
type View = store.View

// Snapshot holds the objects of an informer at one instant. It never changes, and any
// goroutine may use it. If the informer had not synced, every read returns ErrNotSynced,
// because an object that is missing may exist. Records has what has arrived so far.
type Snapshot[T any] struct {
	inf     *Informer[T]
	records *store.Snapshot
	err     error // why the snapshot is not reliable
}

// Snapshot returns the current objects. If the informer is not synced, all reads of the
// snapshot return ErrNotSynced. Snapshot takes constant time and copies nothing.
func (i *Informer[T]) Snapshot() Snapshot[T] { return i.snapshotOf(i.engine.store.Snapshot()) }

// snapshotOf returns a snapshot of the store for reading objects.
func (i *Informer[T]) snapshotOf(records *store.Snapshot) Snapshot[T] {
	s := Snapshot[T]{inf: i, records: records}
	if !records.Synced() {
		s.err = fmt.Errorf("%s: %w", i.engine.cfg.Resource, ErrNotSynced)
	}
	return s
}

// In returns the objects of the informer at the instant of a view. If the view belongs to
// another factory, In adds the current state of this informer and of all others of its
// factory: later calls with the view return the same. If the informer is not synced, all
// reads of the snapshot return ErrNotSynced, and so does the Err of the view. A controller
// treats a reconcile that has read such a snapshot as failed, whatever it returned.
func (i *Informer[T]) In(v View) Snapshot[T] {
	s := i.snapshotOf(i.engine.store.In(v))
	if s.err != nil {
		v.Fail(s.err)
	}
	return s
}

// Err returns ErrNotSynced, with the name of the type, if the snapshot was taken before the
// informer was synced.
func (s Snapshot[T]) Err() error {
	if s.records == nil {
		return ErrNotSynced // the zero Snapshot
	}
	return s.err
}

// View returns the current objects of the informer and of all others of its factory.
func (i *Informer[T]) View() View { return i.engine.store.View() }

// Get decodes the object with a key. ok is false if there is no such object.
//
// Errors: those of the decoder; ErrNotSynced.
func (s Snapshot[T]) Get(key wire.Key) (obj *T, ok bool, err error) {
	if err := s.Err(); err != nil {
		return nil, false, err
	}
	e, ok := s.records.Get(key)
	if !ok {
		return nil, false, nil
	}
	obj, err = s.inf.decoder.entry(e)
	return obj, true, err
}

// All decodes one object after the other, ordered by cluster, namespace and name. For an
// object that cannot be decoded, it yields an error and continues. If the informer was not
// synced, the sequence has one element, ErrNotSynced.
func (s Snapshot[T]) All() iter.Seq2[*T, error] {
	return s.decoded(func() iter.Seq[store.Entry] { return s.records.All() })
}

// Namespace decodes the objects of one namespace, ordered by name, like All.
func (s Snapshot[T]) Namespace(name string) iter.Seq2[*T, error] {
	return s.Within(delta.Scope{Namespace: name})
}

// Within decodes the objects of one cluster, or of one of its namespaces, like All.
func (s Snapshot[T]) Within(scope delta.Scope) iter.Seq2[*T, error] {
	return s.decoded(func() iter.Seq[store.Entry] { return s.records.Within(scope) })
}

// Select decodes the objects whose labels match a selector, such as "app=web,tier!=test", like
// All. It searches the given namespaces, in the given order, or all of them. It reads the
// labels of all objects from the encoded bytes, and decodes only the objects that match. For
// frequent searches by the same label, IndexField is faster. If the selector cannot be
// parsed, the sequence has one element, the error.
func (s Snapshot[T]) Select(selector string, namespaces ...string) iter.Seq2[*T, error] {
	chosen, err := labels.Parse(selector)
	if err != nil {
		return func(yield func(*T, error) bool) { yield(nil, err) }
	}
	return s.decoded(func() iter.Seq[store.Entry] {
		return func(yield func(store.Entry) bool) {
			for e := range s.entries(namespaces) {
				if chosen.Matches(labelsOf(e)) && !yield(e) {
					return
				}
			}
		}
	})
}

// Keys returns the keys of the objects in the given namespaces, in the given order, or of all
// objects. It decodes nothing.
//
// Errors: ErrNotSynced; the sequence is empty then.
func (s Snapshot[T]) Keys(namespaces ...string) (iter.Seq[wire.Key], error) {
	return keysOf(s, func() iter.Seq[store.Entry] { return s.entries(namespaces) })
}

// keysOf returns the keys of entries of a snapshot.
func keysOf[T any](s Snapshot[T], entries func() iter.Seq[store.Entry]) (iter.Seq[wire.Key], error) {
	if err := s.Err(); err != nil {
		return func(func(wire.Key) bool) {}, err
	}
	return func(yield func(wire.Key) bool) {
		for e := range entries() {
			if !yield(e.Key()) {
				return
			}
		}
	}, nil
}

// entries returns the entries in the given namespaces, or all of them.
func (s Snapshot[T]) entries(namespaces []string) iter.Seq[store.Entry] {
	if len(namespaces) == 0 {
		return s.records.All()
	}
	return func(yield func(store.Entry) bool) {
		for _, namespace := range namespaces {
			for e := range s.records.Namespace(namespace) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Records returns the snapshot of the store: keys, versions and encoded bytes. If the
// informer was not synced, it has the objects that had arrived; its Synced reports that.
func (s Snapshot[T]) Records() *store.Snapshot { return s.records }

// Len returns the number of objects.
//
// Errors: ErrNotSynced.
func (s Snapshot[T]) Len() (int, error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	return s.records.Len(), nil
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
		if err := s.Err(); err != nil {
			yield(nil, err)
			return
		}
		for e := range entries() {
			if !yield(s.inf.decoder.entry(e)) {
				return
			}
		}
	}
}

// labelsOf reads the labels of an entry from the encoded bytes.
func labelsOf(e store.Entry) labels.Set {
	set := labels.Set{}
	maps.Insert(set, e.Record().Labels())
	return set
}
