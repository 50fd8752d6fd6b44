// Package store holds the objects of one collection as packed records, shows
// them as immutable snapshots with indexes, and tells subscribers what changed.
//
// # Data flow
//
//	delta.Batch -> Store.Apply -> Snapshot (what is) and []Change (what became of it)
//	Store.Subscribe -> Subscription: a snapshot, then every change after it, or the latest state
//	Store.AddIndex -> Index: the objects of a snapshot by value
//	Group.View -> View: snapshots of several stores at one instant
//	Snapshot.WriteFile -> a file -> Store.Load
//
// A record stays in the encoding in which it came, packed against a dictionary
// that was made of its siblings, in slabs of memory that hold no pointers. An
// Entry leads to it; Entry.Record unpacks it. Where records do not pack they are
// kept as they came. When siblings drift away from the dictionary a new one is
// made; slabs that are mostly dead are emptied a few records at a time.
//
// # Ownership
//
// One goroutine calls Apply. Everything else may be called from anywhere. A
// Snapshot and an Entry are immutable and live as long as somebody holds them,
// and with them the slabs they lead to: who keeps one object for long keeps its
// Record. A Subscription belongs to one goroutine.
//
// # Guarantees
//
//  1. Taking a snapshot, or a view of many stores, is one load of a pointer.
//     Readers never wait for the writer, nor the writer for readers. A snapshot
//     is the same in all its indexes.
//  2. Per object the store never goes back: a delta that is not newer than what
//     it has of the same object is dropped and counted. Only a whole list may
//     replace newer objects by older ones (a cluster restored from a backup).
//     Where deltas say ByArrival, what comes later is later, whatever its version.
//  3. A list, Begin to End, becomes visible at once. Its changes come as
//     deletions first, then additions and updates. An object whose UID and
//     resourceVersion did not change causes none.
//  4. What vanished without a deletion having been seen is Deleted and Missed,
//     with the last known state. An object that was deleted and created again
//     under its name is a deletion and an addition, told apart by UID.
//  5. A subscriber of [EveryChange] or [Lossless] gets each change after its
//     snapshot, once and in order, and only after the store shows it. One of
//     EveryChange that lags by more than the backlog gets one change for each object
//     instead, which says how many it stands for, and is told of objects that came
//     and went; [Subscription.Lag] counts what it was not told of. One of [Latest]
//     gets what leads from what it saw last to what is. A late subscriber starts
//     with the snapshot of that instant: no gap, no duplicate.
//
// # Limits
//
// The changes that wait for a subscriber are bounded by Config.Backlog, of 16,384 by
// default, and each keeps the packed states before and after it. A single batch or
// list may exceed the bound once. Beyond it:
//
//   - EveryChange costs the backlog; the snapshot at its end, which is at most as
//     large as the store was then; about 200 bytes for each object that has changed
//     since; and the last states of the objects that came and went, of at most as
//     many as the backlog. What the subscriber was handed last is its own. It holds up
//     nobody.
//   - Latest costs the snapshot that the subscriber saw last. It holds up nobody.
//   - Lossless costs the backlog. Apply waits, which reaches the server as
//     backpressure.
//
// Without a subscriber nothing is kept. A list is
// held beside what it replaces until it is whole; objects that did not change are
// shared by both. At most half of the memory of slabs, and one slab, is dead.
//
// # Errors
//
// Apply, WaitFor and Subscription.Next return the cause of a cancelled context. A
// Subscription that was closed returns [ErrClosed]. Load refuses a file with a
// [FileError].
package store
