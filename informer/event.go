package informer

import (
	"time"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Event is one object's step from one state to the next. It is a value and may
// be kept; its objects are decoded when they are asked for.
type Event[T any] struct {
	inf    *Informer[T]
	change store.Change
}

// Kind says what became of the object: store.Added, Updated or Deleted.
func (e Event[T]) Kind() store.ChangeKind { return e.change.Kind }

// Cause says how it became known: by the watch, a list, a resync.
func (e Event[T]) Cause() store.Cause { return e.change.Cause }

// Key names the object.
func (e Event[T]) Key() wire.Key { return e.change.Last().Key() }

// UID tells the object from its namesakes.
func (e Event[T]) UID() string { return e.change.Last().UID() }

// Version is the resourceVersion of the state that Object returns.
func (e Event[T]) Version() wire.Version { return e.change.Last().Version() }

// Initial reports whether the object was there already: in the first list, or
// when the sequence of events began.
func (e Event[T]) Initial() bool { return e.change.Cause == store.Initial }

// Missed reports that a deletion was not seen, but found: the object was gone
// when the cluster was listed again, or another one was in its place; or a
// consumer of store.Latest lagged so far that the deletion was left out.
func (e Event[T]) Missed() bool { return e.change.Missed() }

// Left reports that a deletion means only that the object is not among what the
// consumer is told of any more, and may still exist: a filter does not choose it, its
// namespace or cluster is not followed any more, or the informer has selectors, with
// which the server says the same of an object that no longer matches as of a deleted one.
func (e Event[T]) Left() bool {
	return e.change.Kind == store.Deleted && (e.change.Cause == store.Unwatched || e.inf != nil && e.inf.HasSelectors())
}

// Changes returns how many changes of the object the event stands for: 1, unless
// the consumer lagged behind by more than the backlog; see store.EveryChange.
func (e Event[T]) Changes() int { return 1 + int(e.change.Folded) }

// CameAndWent reports that the object was created and deleted while the consumer
// lagged behind. The event is Deleted, and the only one of that object.
func (e Event[T]) CameAndWent() bool { return e.change.CameAndWent() }

// Resync reports that nothing has happened: the object is told of again.
func (e Event[T]) Resync() bool { return e.change.Cause == store.Resynced }

// Seen is when the change was read from the server; zero for what was there
// before.
func (e Event[T]) Seen() time.Time { return e.change.Seen }

// Object decodes the state after the event; for a deletion the last state that
// is known. The object is new and belongs to the caller, unless the storage is
// Live.
//
// Errors: what the decoder says.
func (e Event[T]) Object() (*T, error) { return e.inf.decoder.entry(e.change.Last()) }

// Old decodes the state before the event. ok is false where there was none, which
// is so for an addition and only then. Where the event stands for several changes it
// is the state that the consumer was told of last, or if CameAndWent the last one
// before the deletion.
//
// Errors: what the decoder says; obj is nil then, and ok is true.
func (e Event[T]) Old() (obj *T, ok bool, err error) {
	if e.change.Old.IsZero() {
		return nil, false, nil
	}
	obj, err = e.inf.decoder.entry(e.change.Old)
	return obj, true, err
}

// Record returns the state that Object decodes, as it came. Its body belongs to
// the caller.
func (e Event[T]) Record() wire.Record { return e.change.Last().Record() }

// Change returns the event as the store tells it.
func (e Event[T]) Change() store.Change { return e.change }
