// Package informer keeps a local copy of one type of objects of a cluster and
// tells what happens to them.
//
// # Data flow
//
//	kube.Collection -> reflector.Reflector -> delta.Queue -> store.Store
//	store.Store -> Snapshot[T], Index[T] (what is), in a View with all others of a factory
//	store.Store -> Event[T] (what happened): pulled by Events and Changes, or pushed to a Handler[T]
//
// Objects stay in the encoding in which they came, packed, and are decoded when
// somebody asks for one: by Snapshot.Get, Event.Object and their like. Every
// decoded object is new and belongs to who asked; changing it changes nothing
// in the informer. Only with the storage Live are objects shared.
//
// # Ownership
//
// Run blocks on the caller's goroutine, starts those it needs, and has joined
// them when it returns; Factory.Run does so for all informers of a factory. All
// other methods may be called from any goroutine, before, during and after Run. A
// sequence of events belongs to the goroutine that ranges over it; the functions
// of a handler are called on one goroutine of its own.
//
// # Guarantees
//
// Those of the packages reflector and store: every change that the server
// reports is applied once and in order, what was missed while the server was
// away is found and told, and a subscriber sees a change only when the store
// and all its indexes show it. A subscriber starts with the objects that are there
// and goes on with every change after them: no gap, no duplicate. A view shows each
// informer at one instant, also one that it did not have when it was taken. Handlers do not
// wait for each other. Resync tells again what was told last, and asks nobody. An
// informer with a snapshot file starts with what it held last.
//
// # Limits
//
// Subscribe.Mode says what happens to a consumer that lags by more than
// Config.Backlog changes. With store.EveryChange, the default of handlers and
// sequences, changes of an object are folded until it has caught up; this is logged,
// and shown by Health, Stats, Event.Changes and Event.CameAndWent. With store.Latest
// they always are, and with store.Lossless the informer waits, and through it the
// server. Package store states what each costs. The queue before the store is bounded
// by delta.Limits.
// Adding an index while the informer runs reads all objects once.
//
// # Errors
//
// Constructors return an error for an illegal [Config]; faults of the server never end
// it, they reach Health, and the log: each once, with what to do about it, and again when
// it is over ([Config].Logger). Object methods return what the decoder says. Failures of
// handlers are retried, reported or end the handler, as its configuration says.
// [ErrRunTwice], [ErrStopped] and [ErrNotSynced] tell of wrong use.
package informer
