// Package informer keeps a local copy of one type of objects of a cluster and
// tells what happens to them.
//
// # Data flow
//
//	kube.Collection -> reflector.Reflector -> delta.Queue -> store.Store
//	store.Store -> Snapshot[T] (what is) and Event[T] (what happened)
//
// Objects stay in the encoding in which they came, and are decoded when
// somebody asks for one: by Snapshot.Get, Event.Object and their like. Every
// decoded object is new and belongs to who asked; changing it changes nothing
// in the informer.
//
// # Ownership
//
// Run blocks on the caller's goroutine, starts one more, and has joined it when
// it returns. All other methods may be called from any goroutine, before, during
// and after Run. A sequence of events belongs to the goroutine that ranges over
// it.
//
// # Guarantees
//
// Those of the packages reflector and store: every change that the server
// reports is applied once and in order, what was missed while the server was
// away is found and told, and a subscriber sees a change only when the store
// shows it. Events starts with the objects that are there and goes on with every
// change after them: no gap, no duplicate.
//
// # Limits
//
// A consumer of Events that lags behind by store.Config.Backlog changes makes
// the informer wait, and through it the server. The queue before the store is
// bounded by delta.Limits.
//
// # Errors
//
// Run returns an error for an illegal [Config]; faults of the server never end
// it, they reach Health. Object methods return what the decoder says.
package informer
