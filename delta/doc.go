// Package delta holds what changes on the way from the reflector to the store,
// and the bounded queue that carries it.
//
// # Data flow
//
//	reflector -> Delta -> Queue.Put … Queue.Get -> Batch -> store (or a recorder)
//	                                … Queue.Pop -> Delta, one at a time, again if it failed
//
// A list travels as Begin, one Upsert for each object, End; a watch as Upsert,
// Delete and Bookmark. Who applies them builds what stands between Begin and
// End beside what it has, and swaps at End: a replacement is seen whole or not
// at all. A second Begin before End starts the replacement anew.
//
// # Ownership
//
// A Queue may be used by any number of goroutines that Put and one that takes.
// If several take, each waits until the others' Pop is done. A Batch belongs to
// the caller of Get until the next Get.
//
// # Guarantees
//
// Deltas come out in the order in which they went in, none twice, none left
// out. Get hands over everything that has come since the last call: a consumer
// that keeps up sees small batches at once, one that lags behind sees large
// ones, and no delta waits for others to come. Pop hands over one, which leaves
// the queue only once it has been processed: after a failure it is the oldest
// still.
//
// # Limits
//
// A queue holds at most Limits.Deltas deltas and Limits.Bytes bytes of bodies;
// then Put waits, which is the backpressure that reaches the server through
// TCP. A single delta that is larger than the bound passes when the queue is
// empty.
//
// # Errors
//
// Put, Get and Pop return the cause of a cancelled context, and [ErrClosed] once
// the queue is closed (Get and Pop only when nothing is left in it). Pop returns
// what its function returned.
package delta
