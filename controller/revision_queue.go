package controller

import "github.com/vedette-io/vedette/workqueue"

// DefaultRevisions is how many revisions a RevisionQueue holds by default.
const DefaultRevisions = 1000

// RevisionQueue is a workqueue of revisions. It hands out the revisions of one object in
// order, one at a time; a retry keeps its place.
type RevisionQueue[T any] = workqueue.Queue[Revision[T]]

// RevisionQueueConfig configures a RevisionQueue. Limit is the maximum number of revisions
// in the queue (default DefaultRevisions). When the queue is full, Revisions waits, then the
// informer, then the server.
type RevisionQueueConfig[T any] = workqueue.Config[Revision[T]]

// NewRevisionQueue returns an empty queue:
//
//	queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[batchv1.Job]{})
func NewRevisionQueue[T any](cfg RevisionQueueConfig[T]) *RevisionQueue[T] {
	if cfg.Serial == nil {
		cfg.Serial = func(r Revision[T]) string { return r.Key.String() }
	}
	if cfg.Limit == 0 {
		cfg.Limit = DefaultRevisions
	}
	return workqueue.New(cfg)
}
