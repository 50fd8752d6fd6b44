// Package workqueue is k8s.io/client-go/util/workqueue on the queue of package
// workqueue of this module: a program changes only its import path. Interfaces,
// configurations, rate limiters, metrics providers and ParallelizeUntil are
// client-go's own; the queues are not.
//
// # Data flow
//
//	Add -> waits -> Get -> handled -> Done
//	AddAfter, AddRateLimited -> delayed -> Add
//
// # Ownership
//
// Any goroutine may call any method. A program that makes a queue calls ShutDown
// or ShutDownWithDrain, which join its goroutines.
//
// # Guarantees
//
// A queue behaves as client-go's. An item that waits is there once, and no two
// workers have an item at a time. An item that is added while it is handled waits
// again at its Done. The order is first come, first served. Get waits. After
// ShutDown the items that wait are still handed out, and Add is ignored. AddAfter
// without a delay is Add. Of several delays of an item the earliest counts, by the
// Clock of the configuration. Forget clears the limiter. The seven metrics and
// their provider are client-go's.
//
// These things are better:
//
//   - ShutDownWithDrain waits for items that wait as well, as its documentation in
//     client-go promises. There it returns at any instant at which no worker has an
//     item. If no worker takes an item for a second, it returns here too.
//   - ShutDownWithDrain of a delaying queue ends its delays. In client-go a
//     goroutine stays for up to ten seconds, and its ticker is never stopped.
//   - Done of an item that is not handled does nothing. In client-go it puts an
//     item that waits into the queue a second time.
//   - An item that cannot be compared, or is not equal to itself, is refused and
//     reported. In client-go the first panics, and the second is never forgotten.
//   - Add does not wait for the lock of the workers. An item allocates nothing, and most
//     uses cost less CPU; docs/migrating.md has what was measured.
//   - Delays need no goroutine on the real clock, and no channel with room for 1,000:
//     AddAfter does not wait, and its item is delayed when it returns.
//
// # Limits
//
// A custom Queue in TypedQueueConfig means client-go's own queue, because the
// order is the custom one's. So does a version of client-go whose metrics cannot be
// reached, for a queue that reports to the provider of the process. A custom Queue in TypedDelayingQueueConfig, or
// DelayingQueue in TypedRateLimitingQueueConfig, is used as it is, below our delays
// or limits. A delay and an Add do not cancel each other, as in client-go, where
// programs rely on it. Shutting down drops the delayed items.
// There are no priorities: package workqueue of this module has them, and so has
// the queue for controller-runtime.
//
// # Errors
//
// The interfaces have no errors. An item that is refused goes to
// runtime.HandleError of apimachinery.
package workqueue
