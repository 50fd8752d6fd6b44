// Package store holds the objects of one collection as records, shows them as
// immutable snapshots, and tells subscribers what changed.
//
// # Data flow
//
//	delta.Batch -> Store.Apply -> Snapshot (what is) and []Change (what became of it)
//	Store.Subscribe -> Subscription: a snapshot, then every change after it
//
// # Ownership
//
// One goroutine calls Apply. Everything else may be called from anywhere. A
// Snapshot is immutable and lives as long as somebody holds it; records in it
// must not be written to. A Subscription belongs to one goroutine.
//
// # Guarantees
//
//  1. Taking a snapshot is one load of a pointer. Readers never wait for the
//     writer, nor the writer for readers.
//  2. Per object the store never goes back: a delta that is not newer than what
//     it has of the same object is dropped and counted. Only a whole list may
//     replace newer objects by older ones (a cluster restored from a backup).
//  3. A list, Begin to End, becomes visible at once. Its changes come as
//     deletions first, then additions and updates. An object whose UID and
//     resourceVersion did not change causes none.
//  4. What vanished without a deletion having been seen is Deleted and Missed,
//     with the last known state. An object that was deleted and created again
//     under its name is a deletion and an addition, told apart by UID.
//  5. A subscriber gets every change after its snapshot, once and in order, and
//     only after the store shows it. One that starts late starts with the
//     snapshot of that instant: no gap, no duplicate.
//
// # Limits
//
// Changes that a subscriber has not taken yet are bounded by Config.Backlog;
// beyond it Apply waits, which reaches the server as backpressure. A single
// batch or list may exceed the bound once. Without a subscriber nothing is kept.
// A list is held beside what it replaces until it is whole; objects that did
// not change are shared by both.
//
// # Errors
//
// Apply and Subscription.Next return the cause of a cancelled context. A
// Subscription that was closed returns [ErrClosed].
package store
