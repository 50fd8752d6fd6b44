package controller

import (
	"context"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// Revision is one state of one object, for who acts on each and not only on the
// latest. It is an item of a workqueue: equal to itself only, so no two are
// folded. Its event can be asked for the object.
type Revision[T any] struct {
	// Key and UID name the object, Version its state, and Kind what became of it. See
	// ID for when they are the same again after a restart.
	Key     wire.Key
	UID     string
	Version wire.Version
	Kind    store.ChangeKind
	event   *informer.Event[T]
}

// Event returns what happened, with the state before and after.
func (r Revision[T]) Event() informer.Event[T] {
	if r.event == nil {
		return informer.Event[T]{}
	}
	return *r.event
}

// ID is one text for the revision. The server's versions are unique within one type
// of one cluster, so two revisions never share an ID. It is an idempotency key only
// within one run, because after a restart the same state may have another ID:
//
//   - what is there at the start is Added, at its current version, though it was
//     Updated before;
//   - with filters that choose updates, that version is also a later one than the
//     first that showed the state, if updates came that the filter does not choose;
//   - a deletion that was missed has the version that was seen last, and one that was
//     seen the version of the deletion;
//   - revisions that came while nobody watched are left out, or are one update.
//
// A consumer that must handle each state once across restarts keeps what it has
// handled by UID and by what the state is, or reads the history that package record
// keeps.
func (r Revision[T]) ID() string {
	return fmt.Sprintf("%s/%s/%v/%v", r.Key.Cluster, r.UID, r.Version, r.Kind)
}

// DefaultRevisions is how many revisions a queue of RevisionQueue holds.
const DefaultRevisions = 1000

// RevisionQueue returns a queue of revisions in which those of one object are
// handed out in order, one at a time; a retry keeps its place. Limit is how many it
// holds (default DefaultRevisions): beyond it Revisions waits, then the informer,
// then the server.
func RevisionQueue[T any](cfg workqueue.Config[Revision[T]]) *workqueue.Queue[Revision[T]] {
	if cfg.Serial == nil {
		cfg.Serial = func(r Revision[T]) string { return r.Key.String() }
	}
	if cfg.Limit == 0 {
		cfg.Limit = DefaultRevisions
	}
	return workqueue.New(cfg)
}

// Revisions puts every change of an informer's objects into a queue, one after the
// other, until ctx is done or the informer has stopped: what is there first, as
// additions, then what happens. It runs on the caller's goroutine. The mode of s does
// not count: it is store.Lossless.
//
// It ends with nil when the informer has stopped and all it told of is in the
// queue. It does not close the queue.
//
// Errors: the cause of ctx; workqueue.ErrClosed, workqueue.ErrFull.
func Revisions[T any](ctx context.Context, i *informer.Informer[T], q *workqueue.Queue[Revision[T]], s informer.Subscribe) error {
	if i == nil || q == nil {
		return errors.New("controller: Revisions needs an informer and a queue")
	}
	s.Mode = store.Lossless
	for ev := range i.Changes(ctx, s) {
		if err := q.Add(ctx, RevisionOf(ev)); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// RevisionOf makes a revision of an event.
func RevisionOf[T any](ev informer.Event[T]) Revision[T] {
	return Revision[T]{Key: ev.Key(), UID: ev.UID(), Version: ev.Version(), Kind: ev.Kind(), event: &ev}
}
