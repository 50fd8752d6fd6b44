// Package delta defines the steps that lead from one state of a scope to the next,
// and the bounded queue that carries them from the reflector to the store.
//
// # Data flow
//
//	reflector -> Delta -> Queue.Put … Queue.Get -> Batch -> store (or a recorder)
//
// A list travels as Begin, one Upsert for each object, and End; a watch travels as
// Upsert, Delete and Bookmark. The consumer builds the objects between Begin and End
// beside its current state and swaps the two at End, so readers see a replacement
// completely or not at all. A second Begin before End restarts the replacement.
//
// # Ownership
//
// Any number of goroutines may call [QueueOf.Put]. One goroutine calls [QueueOf.Get]. A
// batch belongs to the caller of Get until the next Get.
//
// # Guarantees
//
// Deltas leave the queue in the order in which they entered it; none is lost, and none
// is duplicated. Get returns everything that arrived since the last call. A fast
// consumer therefore sees small batches at once, and a slow consumer sees large ones. No
// delta waits for others to arrive.
//
// # Limits
//
// A queue holds at most Limits.Deltas deltas and Limits.Bytes bytes of bodies. Put waits
// while the queue is full; this is the backpressure that reaches the server through TCP.
// An empty queue accepts a delta that is larger than Limits.Bytes.
//
// # Errors
//
// Put and Get return the cause of a canceled context. Put returns [ErrClosed] when the
// queue is closed, and Get when it is closed and empty.
package delta
