// Package clientgo puts the engine of Vedette behind the interfaces of client-go.
//
// The packages below it have the names and paths of client-go's: informers,
// tools/cache, dynamic/dynamicinformer, metadata/metadatainformer, util/workqueue. A
// program that imports them instead of client-go's runs on the engine. This package is
// for everything else: [Wrap] makes the clients of a rest.Config reachable, [Adopt] turns
// an informer that any other code has constructed into one of ours, [HealthOf] returns its
// health, and [Report] how much it holds and decodes.
//
// # Data flow
//
//	ListerWatcher of the user -> internal/tunnel -> bytes -> informer.Informer -> store
//	store -> registration -> decoded object -> cache.ResourceEventHandler
//	store -> indexer -> decoded object -> listers
//
// # Ownership
//
// As in client-go, all handlers and readers share one decoded object per revision.
// Nobody may change it. Any goroutine may call any method.
//
// # Guarantees
//
// For each object a handler gets the states in their order, after the store and its
// indexes show them. A handler that is added later gets the current objects as
// additions, and then every change, without a gap. A relist replaces the store before any handler is
// called. Handlers do not wait for each other. docs/migrating.md lists what differs from
// client-go.
//
// # Limits
//
// Where the list and watch functions cannot be reached, client-go's own informer does
// the work; [Health] says why. A handler that lags by more than the backlog gets the
// changes of an object folded into one.
//
// # Errors
//
// Methods return errors where those of client-go do. Faults of list and watch go to the
// log and to the watch error handler. A panic of a handler ends the program, as with
// client-go, unless utilruntime.ReallyCrash is false.
package clientgo
