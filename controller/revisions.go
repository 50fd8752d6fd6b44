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
	// with PerRunIDs. For the filter informer.ChangedBy(state.StateOf[T]), use
	// history.History.StateBegan of package platform/history.
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
// Revisions alone keeps nothing: states that came and went while the program was down are
// lost, and so are revisions in the queue of a killed program. With
// informer.WarmStart.AtLeastOnce and Revision.Acknowledge, a restarted program gets every
// revision that was not acknowledged, in order, as long as the server still has its version;
// after that, Event.Missed marks the states that a list has shown. Then Revisions may be called
// once only. A recorder (package record) keeps all states in a database, for several consumers and
// replicas.
//
// Errors: a configuration whose IDs cannot be stable, before anything is queued; the
// cause of ctx; errors of FirstVersion; workqueue.ErrClosed, workqueue.ErrFull;
// informer.ErrSecondConsumer.
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
	add := func(ev informer.Event[T], done *func()) error {
		r := RevisionOf(ev)
		r.done = done
		began := ev.Cause() == store.Watched && (r.Kind == store.Updated || !selects)
		if asks && r.Kind != store.Deleted && !began {
			var err error
			if r.First, err = cfg.firstVersion(ctx, r); err != nil {
				return err
			}
		}
		return q.Add(ctx, r)
	}
	if i.KeepsUnacknowledged() {
		return i.AtLeastOnce(ctx, cfg.Subscription, func(ev informer.Event[T], acknowledge func()) error {
			return add(ev, &acknowledge)
		})
	}
	for ev := range i.Changes(ctx, cfg.Subscription) {
		if err := add(ev, nil); err != nil {
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
