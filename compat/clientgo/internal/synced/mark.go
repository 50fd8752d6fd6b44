// Package synced tells client-go, in each of its versions, that an informer or a handler
// has got the first list.
//
// # Data flow
//
//	the first list was delivered -> Mark.Set -> Done, HasSynced, HasSyncedChecker
//
// # Ownership
//
// Any goroutine may read a Mark. Its owner calls Set, once.
//
// # Guarantees
//
// HasSynced is true when Done is closed.
//
// # Limits
//
// Wait asks informers of client-go ten times a second.
//
// # Errors
//
// None.
package synced

import (
	"context"
	"reflect"

	"k8s.io/client-go/tools/cache"
)

// Mark is part of an informer, a controller or a registration. Its embedded interface has
// the methods that report whether it is set. Since client-go 0.36 one of them returns a type
// that earlier versions lack, so only a value of client-go can have it: a queue, which is
// synced once it got an empty list.
type Mark struct {
	cache.ResourceEventHandlerRegistration

	queue *cache.DeltaFIFO
	done  chan struct{}
}

// New returns a mark that is not set. Logs of client-go show the name, since 0.36.
func New(name string) *Mark {
	var options cache.DeltaFIFOOptions
	if field := reflect.ValueOf(&options).Elem().FieldByName("Name"); field.IsValid() {
		field.SetString(name)
	}
	queue := cache.NewDeltaFIFOWithOptions(options)
	return &Mark{ResourceEventHandlerRegistration: queue, queue: queue, done: make(chan struct{})}
}

// Set sets the mark.
func (m *Mark) Set() {
	_ = m.queue.Replace(nil, "") // an empty list cannot fail
	close(m.done)
}

// Done returns a channel that is closed once the mark is set.
func (m *Mark) Done() <-chan struct{} { return m.done }

// Wait waits until an informer or a registration has synced, or ctx is done. It reports
// whether it has.
func Wait(ctx context.Context, what interface{ HasSynced() bool }) bool {
	marked, ok := what.(interface{ Done() <-chan struct{} })
	if !ok {
		return cache.WaitForCacheSync(ctx.Done(), what.HasSynced)
	}
	select {
	case <-marked.Done():
	case <-ctx.Done():
	}
	return what.HasSynced()
}
