// Package informer keeps a local copy of one type of objects of a cluster and reports
// changes to them.
//
// # Data flow
//
//	kube.Collection -> reflector.Reflector -> delta.Queue -> store.Store
//	store.Store -> Snapshot[T], Index[T] (what is), in a View with all others of a factory
//	store.Store -> Event[T] (what happened): pulled by Events and Changes, or pushed to a Handler[T]
//
// Objects stay in the encoding in which they arrived, packed. They are decoded on
// demand: by Snapshot.Get, Event.Object and similar methods. Every decoded object is
// new and belongs to the caller; changing it does not affect the informer. Objects are
// shared only with the storage Live, and there also share values with each other.
//
// # Ownership
//
// Run blocks on the caller's goroutine, starts the goroutines that it needs, and has
// joined them when it returns; Factory.Run does the same for all informers of a
// factory. All other methods may be called from any goroutine, before, during and after
// Run. A sequence of events belongs to the goroutine that ranges over it. Each handler
// has one goroutine of its own, which calls its functions.
//
// # Guarantees
//
// The guarantees of the packages reflector and store hold. Every change that the server
// reports is applied once and in order. Changes that were missed while the server was
// unreachable are found and reported. A subscriber sees a change only when the store and
// all its indexes show it. A subscriber starts with the current objects and
// continues with every change after them: no gap, no duplicate. A view shows each
// informer at one instant, including an informer that was added to the view later.
// Handlers do not wait for each other. Resync repeats the last known state and sends no
// request. An informer with a snapshot file starts with the objects of its last run.
//
// # Limits
//
// SubscriptionConfig.Mode determines what happens to a consumer that lags by more than
// Config.Backlog changes. With store.EveryChange, the default of handlers and
// sequences, the changes of each object are folded until the consumer has caught up.
// The log shows this, and so do Health, Stats, Event.Changes and Event.CameAndWent.
// With store.Latest changes are always folded. With store.Lossless the informer waits,
// and through it the server. Package store states what each mode costs. delta.Limits
// bounds the queue before the store. Adding an index while the informer runs reads all
// objects once.
//
// # Errors
//
// Constructors return an error for an invalid [Config]. Run returns an error for a type
// that the server does not serve, unless [Config].Missing says otherwise, and for a field
// selector that the server refuses. Other faults of the server do not end an informer.
// They appear in Health and in the log: each fault once, with a remedy, and
// again when it is over ([Config].Logger). Object methods return decoder errors.
// Failures of handlers are retried, reported or end the handler, as its configuration
// says. [ErrRunTwice], [ErrStopped], [ErrWaitInHandler] and [ErrNotSynced]
// report incorrect use.
package informer
