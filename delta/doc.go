// Package delta holds what changes on the way from the reflector to the store,
// and the bounded queue that carries it.
//
// # Data flow
//
//	reflector -> Delta -> Queue.Put … Queue.Get -> Batch -> store (or a recorder)
//
// A list travels as Begin, one Upsert for each object, End; a watch as Upsert,
// Delete and Bookmark. Who applies them builds what stands between Begin and
// End beside what it has, and swaps at End: a replacement is seen whole or not
// at all. A second Begin before End starts the replacement anew.
//
// # Ownership
//
// A Queue may be used by any number of goroutines that Put and one that Gets.
// A Batch belongs to the caller of Get until its next call.
//
// # Guarantees
//
// Deltas come out in the order in which they went in, none twice, none left
// out. Get hands over everything that has come since the last call: a consumer
// that keeps up sees small batches at once, one that lags behind sees large
// ones, and no delta waits for others to come.
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
// Put and Get return the cause of a cancelled context, and [ErrClosed] once
// the queue is closed (Get only when nothing is left in it).
package delta
