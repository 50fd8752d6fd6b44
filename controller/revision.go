package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// IDStability is how long Revision.ID stays the same.
type IDStability uint8

const (
	// StableIDs stay the same across restarts and replicas. With a filter that chooses
	// updates they need RevisionsConfig.FirstVersion.
	StableIDs IDStability = iota
	// PerRunIDs need no history. With a filter that chooses updates, a state gets
	// another ID after a restart.
	PerRunIDs
)

// RevisionsConfig selects the revisions. The zero value selects all of them, with
// stable IDs.
type RevisionsConfig[T any] struct {
	// Subscription chooses objects and updates. Its Mode is ignored: the mode is always
	// store.Lossless.
	Subscription informer.SubscriptionConfig
	// IDs is how long IDs stay the same; default StableIDs.
	IDs IDStability
	// FirstVersion returns the version of the first revision that showed the state of r,
	// which is r.Version or an earlier version. The filters define a state: filters
	// that choose updates skip revisions that show the same state. Revisions calls
	// FirstVersion, once at a time, for states whose begin it has not seen: for objects that
	// exist at the start, that a list has found, that are reported again, or that
	// become selected. It does not call FirstVersion without filters that choose updates, nor
	// with PerRunIDs. For the filter informer.Transitions, use
	// history.History.StateBegan of package record/history.
	//
	// After an error, Revisions retries FirstVersion for 10 seconds, during which the
	// informer waits; then the ctx of the call ends, and Revisions returns the error.
	FirstVersion func(ctx context.Context, r Revision[T]) (wire.Version, error)
}

// Revisions puts every change of an informer's objects into a queue, one at a time,
// until ctx is done or the informer has stopped: first the current objects as
// additions, then the changes. It runs on the caller's goroutine.
//
// It returns nil when the informer has stopped and all its changes are in the queue. It
// does not close the queue. After an error it may be called again, and then begins with
// the objects that exist at that time, under the same IDs.
//
// Errors: a configuration whose IDs cannot be stable, before anything is queued; the
// cause of ctx; errors of FirstVersion; workqueue.ErrClosed, workqueue.ErrFull.
func Revisions[T any](ctx context.Context, i *informer.Informer[T], q *RevisionQueue[T], cfg RevisionsConfig[T]) error {
	if i == nil || q == nil {
		return errors.New("controller: Revisions needs an informer and a queue")
	}
	if cfg.IDs > PerRunIDs {
		return fmt.Errorf("controller: RevisionsConfig.IDs is %d, want StableIDs or PerRunIDs", cfg.IDs)
	}
	filters := cfg.Subscription.Filters
	asks := cfg.IDs == StableIDs && slices.ContainsFunc(filters, informer.Filter.ChoosesUpdates)
	if asks && cfg.FirstVersion == nil {
		return errors.New("controller: a filter chooses updates, so the IDs of revisions need a history to be stable: " +
			"set RevisionsConfig.FirstVersion (package record keeps one), or IDs to PerRunIDs")
	}
	// An object that becomes chosen is Added, but may already have been in its state.
	selects := i.HasSelectors() || slices.ContainsFunc(filters, informer.Filter.ChoosesObjects)
	cfg.Subscription.Mode = store.Lossless
	for ev := range i.Changes(ctx, cfg.Subscription) {
		r := RevisionOf(ev)
		began := ev.Cause() == store.Watched && (r.Kind == store.Updated || !selects)
		if asks && r.Kind != store.Deleted && !began {
			var err error
			if r.First, err = cfg.firstVersion(ctx, r); err != nil {
				return err
			}
		}
		if err := q.Add(ctx, r); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// These constants bound how long and how often FirstVersion is called.
const (
	firstVersionTimeout    = 10 * time.Second
	firstVersionMinBackoff = 50 * time.Millisecond
	firstVersionMaxBackoff = time.Second
)

// firstVersion calls FirstVersion until it succeeds. Another process writes the history,
// which may lag a little.
func (cfg *RevisionsConfig[T]) firstVersion(ctx context.Context, r Revision[T]) (wire.Version, error) {
	asking, cancel := context.WithTimeout(ctx, firstVersionTimeout)
	defer cancel()
	for wait := firstVersionMinBackoff; ; wait = min(2*wait, firstVersionMaxBackoff) {
		first, err := cfg.FirstVersion(asking, r)
		if err == nil && (first == 0 || first > r.Version) {
			return 0, fmt.Errorf("controller: FirstVersion returned %v for the state of %s at version %v; want one from 1 to that version", first, r.Key, r.Version)
		}
		if err == nil {
			return first, nil
		}
		pause := time.NewTimer(wait)
		select {
		case <-pause.C:
		case <-asking.Done():
			pause.Stop()
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			return 0, fmt.Errorf("controller: find the first version of the state of %s at version %v: %w", r.Key, r.Version, err)
		}
	}
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
