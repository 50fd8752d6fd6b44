package workqueue

import "context"

// Worker takes items one after another. It costs less than Get and Done, because it ends the
// handling of an item and takes the next one in one step. A Worker belongs to one goroutine.
type Worker[T comparable] struct {
	q    *Queue[T]
	held *node[T] // nil: none
	hash uint32   // of the held item
	item T
}

// Worker returns a worker that handles no item. A queue may have any number of workers,
// beside other goroutines that call Get and Done.
func (q *Queue[T]) Worker() *Worker[T] { return &Worker[T]{q: q} }

// Next ends the handling of the item that the last call returned, then waits for an item and
// takes it. If Next fails, the worker handles no item. Do not call Queue.Done for an item of
// a worker.
//
// Errors: those of Get.
func (w *Worker[T]) Next(ctx context.Context) (Work[T], error) {
	q := w.q
	q.lock()
	defer q.unlock()
	w.done()
	if q.closing {
		q.tryClose()
	}
	if ctx.Err() != nil {
		return Work[T]{}, context.Cause(ctx)
	}
	n, err := q.await(ctx)
	if err != nil {
		return Work[T]{}, err
	}
	w.held, w.hash, w.item = n, n.hash, n.item
	return q.take(n), nil
}

// Done ends the handling of the item that the last call of Next returned, without taking
// another one. It does nothing if the worker handles no item.
func (w *Worker[T]) Done() {
	w.q.lock()
	defer w.q.unlock()
	w.done()
}

// done ends the handling of the held item. The caller holds the lock.
func (w *Worker[T]) done() {
	if n := w.held; n != nil && n.handled && n.hash == w.hash && n.item == w.item {
		w.q.done(n)
	}
	var none T
	w.held, w.item = nil, none
}
