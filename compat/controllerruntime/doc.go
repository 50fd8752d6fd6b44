// Package controllerruntime puts the engine of Vedette behind the interfaces of
// controller-runtime. A program sets one field for its cache, and one for its queues:
//
//	manager.Options{NewCache: controllerruntime.NewCache}
//	controller.Options{NewQueue: controllerruntime.NewQueue[reconcile.Request]}
//
// # Data flow
//
// The cache is controller-runtime's, with its options, namespaces and selectors. Its HTTP
// client has the byte tunnel of package clientgo, and its informers run on the engine:
//
//	API server -> bytes -> store -> labels match -> decoded copy -> Get, List
//
// The queue:
//
//	handlers -> AddWithOpts -> waits, or is delayed -> GetWithPriority -> Reconcile -> Done
//
// # Ownership
//
// The controller owns its queue, and shuts it down when it ends. A reader owns what Get
// and List return, unless UnsafeDisableDeepCopy is set for the cache.
//
// # Guarantees
//
//  1. The queue is a priorityqueue.PriorityQueue of controller-runtime: a request
//     that waits is there once, with its highest priority and its shortest delay. A
//     request that is added while it is handled waits again at its Done. Within a priority
//     the order is first come, first served.
//  2. Nothing starves. A request of priority p has the position of a request of
//     priority 0 that was added 10 seconds times p earlier. In controller-runtime a
//     request of a low priority waits while any request of a higher one waits.
//  3. GetWithPriority does not hand a request to a worker that has ended, and a
//     request that is due does not wait for another goroutine.
//  4. ShutDown ends the workers at once, and drops the requests that wait, as in
//     controller-runtime. It may be called again. ShutDownWithDrain hands them out
//     first, and waits until they are done.
//  5. The metrics are controller-runtime's.
//
// # Limits
//
// Priorities are from -128 to 127, and others count as the nearer end of these. The
// metric of the depth has no priority. Requests that cannot be compared are rejected.
// The queue has no goroutine of its own, and two of client-go for metrics.
//
// # Errors
//
// NewCache returns the errors of cache.New. The interfaces of queues have no errors. A
// rejected request goes to runtime.HandleError of apimachinery.
package controllerruntime
