// Package queue is the queue behind client-go's and controller-runtime's
// interfaces: package workqueue with their shutdown and their metrics.
//
// # Data flow
//
//	Add -> workqueue.Queue -> Get -> handled -> Done
//	AddAfter -> Delays -> Add
//	workqueue.Observer -> Metrics -> the metrics that the provider made
//
// # Ownership
//
// Any goroutine may call any method. A caller that makes a Queue or Delays shuts
// it down, which joins their goroutines.
//
// # Guarantees
//
//  1. ShutDown ends the calls of Get that wait. Items that wait are still handed
//     out, unless the queue was made to abandon them. Later items are ignored.
//  2. ShutDownWithDrain returns when no item waits or is handled, when no item is
//     handled and no worker takes a waiting item for a second, or when ShutDown is
//     called.
//  3. A delay is a lower bound by its clock, and the earliest of several of an item
//     counts. A delay and an Add do not cancel each other.
//  4. Metrics are client-go's: the same seven, counted at the same moments, with the
//     provider of the configuration or else of the process.
//
// # Limits
//
// An item that cannot be compared with itself is rejected and reported: a slice in
// an interface, or NaN. There is one goroutine for the metrics of a queue, one if the
// process-wide provider counts its retries, and one for delays on a clock that was
// injected. Metrics of the provider of a process are read from unexported fields of
// client-go.
//
// # Errors
//
// The interfaces have no errors. A refused item goes to runtime.HandleError of
// apimachinery. ErrHidden means that this version of client-go keeps its metrics in other
// fields; the caller then uses client-go's own queue.
package queue
