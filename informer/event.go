package informer

import (
	"time"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Event is one change of an object, from one state to the next. It is a value, and any
// goroutine may use it. Its objects are decoded on demand.
//
// An Event keeps the encoded states before and after the change in memory, and with them
// up to 64 KiB that they share with other objects. A program that keeps some of many
// events for long keeps Detached copies instead. Every Event keeps its informer.
type Event[T any] struct {
	inf    *Informer[T]
	change store.Change
}

// Detached returns a copy of the event that shares no memory with other objects. It costs
// two copies of the encoded states.
func (e Event[T]) Detached() Event[T] { return Event[T]{e.inf, e.change.Detached()} }

// Kind returns the kind of the change: store.Added, Updated or Deleted.
func (e Event[T]) Kind() store.ChangeKind { return e.change.Kind }

// Cause returns how the informer learned of the change: by the watch, a list or a resync.
func (e Event[T]) Cause() store.Cause { return e.change.Cause }

// Key returns the key of the object.
func (e Event[T]) Key() wire.Key { return e.change.Last().Key() }

// UID returns the UID, which distinguishes the object from other objects of the same name.
func (e Event[T]) UID() string { return e.change.Last().UID() }

// Version returns the resourceVersion of the state that Object returns.
func (e Event[T]) Version() wire.Version { return e.change.Last().Version() }

// Initial reports whether the object existed before: it was in the first list, or in the
// store when the sequence of events began.
func (e Event[T]) Initial() bool { return e.change.Cause == store.Initial }

// Missed reports that the informer did not see the deletion itself. Either the object
// was gone, or replaced by another one, when the cluster was listed again; or a
// consumer of store.Latest lagged so far that the deletion was left out.
func (e Event[T]) Missed() bool { return e.change.Missed() }

// MayStillExist reports that the event is Deleted, but that the object may still exist: a
// filter no longer chooses it, its namespace or cluster is no longer followed, or the
// informer has selectors. With selectors, the server reports an object that no longer
// matches as deleted. The consumer gets no more events of the object, unless the object is
// added again.
func (e Event[T]) MayStillExist() bool {
	return e.change.Kind == store.Deleted && (e.change.Cause == store.Unwatched || e.inf != nil && e.inf.HasSelectors())
}

// Changes returns how many changes of the object the event stands for. It is 1, unless
// the consumer lagged by more than the backlog; see store.EveryChange.
func (e Event[T]) Changes() int { return 1 + int(e.change.Folded) }

// CameAndWent reports that the object was created and deleted while the consumer
// lagged. The event is Deleted, and is the only event for that object.
func (e Event[T]) CameAndWent() bool { return e.change.CameAndWent() }

// Resync reports that the object has not changed: the event repeats its state.
func (e Event[T]) Resync() bool { return e.change.Cause == store.Resynced }

// Seen returns the time at which the change was read from the server. It is zero for the
// current objects at the beginning of a sequence.
func (e Event[T]) Seen() time.Time { return e.change.Seen }

// Object decodes the state after the event; for a deletion, it decodes the last known
// state. The object is new and belongs to the caller, unless the storage is Live.
//
// Errors: those of the decoder.
func (e Event[T]) Object() (*T, error) { return e.inf.decoder.entry(e.change.Last()) }

// Old decodes the state before the event. ok is false if there was no state before,
// which holds exactly for additions. If the event stands for several changes, Old is
// the state that the consumer got last, or with CameAndWent the last state before the
// deletion.
//
// Errors: those of the decoder; obj is nil then, and ok is true.
func (e Event[T]) Old() (obj *T, ok bool, err error) {
	if e.change.Old.IsZero() {
		return nil, false, nil
	}
	obj, err = e.inf.decoder.entry(e.change.Old)
	return obj, true, err
}

// Record returns the encoded state that Object decodes. Its body belongs to the caller.
func (e Event[T]) Record() wire.Record { return e.change.Last().Record() }

// Change returns the change of the store.
func (e Event[T]) Change() store.Change { return e.change }
