// Package delta holds what changes on the way from the reflector to the store,
// and two bounded queues that carry it: [Queue] carries every delta in order,
// [Coalesced] joins the deltas of a key that waits.
//
// # Data flow
//
//	reflector -> Delta -> Queue.Put … Queue.Get -> Batch -> store (or a recorder)
//	                                … Queue.Pop -> Delta, one at a time, again if it failed
//
//	Coalesced.Add, Update, Delete, Replace, Bookmark … Coalesced.Pop -> key and []Entry
//	Coalesced.Resync (what the consumer has)
//
// Into a Queue a list travels as Begin, one Upsert for each object, End; a watch
// as Upsert, Delete and Bookmark. Who applies them builds what stands between
// Begin and End beside what it has, and swaps at End: a replacement is seen
// whole or not at all. A second Begin before End restarts the replacement.
//
// Into a Coalesced a list goes with Replace, and comes out as Replaced for each
// object and ReplacedEnd. It is not seen at once: its objects come one by one,
// and the consumer removes at ReplacedEnd what vanished.
//
// # Ownership
//
// A Queue may be used by any number of goroutines that Put and one that takes.
// If several take, each waits until the others' Pop is done. A Batch belongs to
// the caller of Get until the next Get.
//
// A Coalesced takes the server's word from one goroutine, and any number of
// goroutines Pop. The entries belong to the queue, the process function reads
// them until it returns. In both, process functions run on the caller's
// goroutine, without a lock.
//
// # Guarantees
//
// Add a, add b, delete a, and nobody has taken anything yet. Does b wait, and
// is the order across keys kept?
//
//	Queue       a, b, a gone. The order of everything is kept. Get hands over all
//	            three at once; with Pop b waits for the first of a, not for the
//	            second.
//	Coalesced   a with a gone, then b. Order is kept within a key, and given up
//	            across keys: the deletion of a overtakes b. b keeps its place
//	            behind a, and waits for it to be taken, not for it to be processed
//	            if another goroutine pops.
//
// Queue: deltas come out in the order in which they went in, none twice, none
// left out. Get hands over everything that has come since the last call: a
// consumer that keeps up sees small batches at once, one that lags behind sees
// large ones, and no delta waits for others to come. Pop hands over one, which
// leaves the queue only once it has been processed: after a failure it is the
// oldest still.
//
// Coalesced:
//
//  1. A key waits once, at the position of the first delta that waits of it. Its
//     deltas come together, in order, and again if their processing failed; the
//     key then stands behind the others. It is never in process twice at a time.
//  2. Folded are: a deletion that follows a deletion of the same object, of which
//     the later stays; an entry of the same kind, UID and version as the one
//     before it; and of a key with more than KeyEntries entries the oldest states
//     in between. Of these survive the first and the last entry, every
//     deletion, and the first and last state of every object (UID); only if that
//     is still too much, objects that came and went in between are left out, the
//     oldest first. Two objects of the same name always have a deletion between
//     them; one that nobody saw is marked Missed.
//  3. Bookmarked and ReplacedEnd are barriers. All that was put in before one has
//     been processed when it comes, and nothing is in process beside it. What was
//     put in after it may come earlier, along with a key that waited.
//  4. A list removes what it lacks: what waits or is in process by a missed
//     deletion, the rest at ReplacedEnd by the rule of [Coalesced.Replace]. The
//     queue never asks the consumer what it has.
//  5. Sync never follows something newer that waits or is in process.
//
// Synced closes when the first list is through: End taken by Queue.Get or
// processed by Queue.Pop, ReplacedEnd processed by Coalesced.Pop.
//
// # Limits
//
// A queue holds at most Limits.Deltas deltas and Limits.Bytes bytes of bodies,
// what Pop has in process included; then what puts waits, which is the
// backpressure that reaches the server through TCP. A single delta that is
// larger than the bound passes when the queue is empty. The missed deletions of a
// Coalesced do not wait, and share their bodies with the states before them:
// they may at most double what it counts.
//
// # Errors
//
// All calls that may wait return the cause of a cancelled context. What puts into
// a closed queue returns [ErrClosed]; so does what takes from it, when nothing is
// left and nothing in process can come back. Pop returns what its function
// returned.
package delta
