package controller

import (
	"fmt"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Revision is one state of one object, for a consumer that acts on every state and not
// only on the latest. It is an item of a workqueue. A Revision equals only itself, so
// the queue never folds two of them. Its event returns the object.
type Revision[T any] struct {
	// Key and UID name the object, Version its state. Kind is the kind of change.
	Key     wire.Key
	UID     string
	Version wire.Version
	Kind    store.ChangeKind
	// First is the version of the first revision that showed the state. It equals
	// Version unless a filter skips updates. For a deletion it is the version of the
	// last state before the deletion.
	First wire.Version
	event *informer.Event[T]
	done  *func() // acknowledges the event; nil if nothing is kept
}

// Acknowledge reports that the revision was handled for good, for example after the commit
// of the consumer's own transaction. With informer.WarmStart.AtLeastOnce, a revision
// without it is reported again after a restart; without that setting, Acknowledge has no
// effect. Done of the queue acknowledges nothing, because a worker also calls it after a failure.
func (r Revision[T]) Acknowledge() {
	if r.done != nil {
		(*r.done)()
	}
}

// Event returns what happened, with the state before and after.
func (r Revision[T]) Event() informer.Event[T] {
	if r.event == nil {
		return informer.Event[T]{}
	}
	return *r.event
}

// ID is an idempotency key: it is the same each time the same state or deletion is
// reported, including after a restart and in another replica, and it is unique within
// the type. It has one of three forms:
//
//   - cluster/uid/VERSION is a state. VERSION is First, so the ID is the same whether
//     the consumer saw the state begin, or found it at the start.
//   - cluster/uid/deleted is the deletion, seen or missed.
//   - cluster/uid/left/VERSION says that the object is no longer followed, after its
//     state at VERSION (see informer.Event.MayStillExist). Two consumers have the same
//     ID for it only if they have seen the same last state.
//
// For an object without a UID, the ID contains namespace/name instead, and the version
// of the last state after "deleted". A server that does not order its versions may give
// two states the same version; then they have the same ID. With PerRunIDs and
// filters that choose updates, the ID of a state is valid for one run. States that came
// and went while no consumer was running are not reported, and neither are deletions.
func (r Revision[T]) ID() string {
	object := r.UID
	if object == "" {
		object = wire.Key{Namespace: r.Key.Namespace, Name: r.Key.Name}.String()
	}
	object = r.Key.Cluster + "/" + object
	switch {
	case r.Kind != store.Deleted:
		return fmt.Sprintf("%s/%v", object, r.First)
	case r.Event().MayStillExist():
		return fmt.Sprintf("%s/left/%v", object, r.First)
	case r.UID == "": // a later object with this name may also be deleted
		return fmt.Sprintf("%s/deleted/%v", object, r.First)
	}
	return object + "/deleted"
}

// RevisionOf converts an event to a revision. It assumes that the version of the event
// is the first that showed the state. A caller with filters that choose updates, or
// with folded changes, must set First from a history; see RevisionsConfig.FirstVersion.
func RevisionOf[T any](ev informer.Event[T]) Revision[T] {
	r := Revision[T]{Key: ev.Key(), UID: ev.UID(), Version: ev.Version(), Kind: ev.Kind(), First: ev.Version(), event: &ev}
	if last := ev.Change().Old; r.Kind == store.Deleted && !last.IsZero() {
		r.First = last.Version()
	}
	return r
}
