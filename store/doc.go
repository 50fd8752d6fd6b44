// Package store holds the objects of one type as packed records, provides immutable
// snapshots with indexes, and delivers changes to subscribers.
//
// # Data flow
//
//	delta.Batch -> Store.Apply -> Snapshot (current objects) and []Change (differences)
//	Store.Subscribe -> Subscription: a snapshot, then every change after it, or the latest state
//	Store.AddIndex -> Index: the objects of a snapshot by value
//	Group.View -> View: snapshots of several stores at one instant
//	Snapshot.WriteFile -> a file -> Store.Load
//
// The store keeps a record in the encoding in which it arrived. It compresses the record
// with a dictionary built from other records of the store, and packs it into slabs of
// memory that hold no pointers. Objects with one generated name, such as the pods of a
// ReplicaSet, are siblings: their bodies are packed after the body of the first one, the
// reference. An Entry refers to a record; Entry.Record unpacks it.
// Records that do not compress are stored unchanged. If the dictionary no longer fits new
// records, the store builds a new one. It empties slabs that are mostly dead, a few
// records at a time.
//
// # Ownership
//
// One goroutine calls Apply. All other methods may be called from any goroutine. A
// Snapshot and an Entry are immutable and remain valid while they are referenced. They
// keep the slabs that they refer to in memory: to keep one object for long, keep its
// Record instead. A Subscription belongs to one goroutine.
//
// # Guarantees
//
//  1. Taking a snapshot, or a view of many stores, is one load of a pointer for each store.
//     The writer never waits for readers, and readers never wait for a batch, a list or a
//     function of the user. There is one short wait: a single event changes the trees in
//     place if no reader has the current snapshot, and a reader that comes in these
//     microseconds waits for the next one. A snapshot is the same in all its indexes.
//  2. The store never goes back to an older state of an object: it drops and counts
//     a delta that is older than the stored state of the same object. Only a whole
//     list may replace newer objects by older ones (a cluster restored from a backup).
//     For deltas that are ordered ByArrival, a later delta is newer, whatever its
//     version.
//  3. A list, Begin to End, becomes visible at once. Its changes are ordered:
//     deletions first, then additions and updates. An object whose UID, version and
//     content did not change causes no change. Other content at the same version is an
//     update: a new default in a schema, another served version, a corrected conversion
//     or an upgrade of the server changes what the server shows, and not the version. The
//     store compares what Config.Transform returns; see wire.SameContent.
//  4. An object that vanished without a visible deletion is Deleted and Missed,
//     with its last known state. If an object was deleted and created again under the
//     same name, the store detects this by UID and reports a deletion and an addition.
//  5. A subscriber of [EveryChange] or [Lossless] gets each change after its
//     snapshot, once and in order, and only after the store shows it. A subscriber of
//     EveryChange that lags by more than the backlog gets one change for each object
//     instead. The change says how many changes it stands for, and the subscriber also
//     learns of objects that came and went; [Subscription.Lag] counts the objects that
//     were not reported. A subscriber of [Latest] gets the difference between the state
//     that it received last and the current state. A late subscriber starts with the snapshot
//     of that instant: no gap, no duplicate.
//
// # Limits
//
// Config.Backlog bounds the changes that wait for a subscriber, by default to 16,384.
// Each change keeps the packed states before and after it. A single batch or list may
// exceed the bound once. Beyond it:
//
//   - EveryChange costs the backlog; the snapshot at its end, which is at most as
//     large as the store was then; about 200 bytes for each object that has changed
//     since; and the last states of the objects that came and went, of at most as
//     many as the backlog. The subscriber owns the changes that it already received.
//     It never blocks the store.
//   - Latest costs the backlog; beyond it, one change for each object in it, and the
//     snapshot at its end, which is at most as large as the store was then. It never blocks
//     the store.
//   - Lossless costs the backlog. Apply waits, which reaches the server as
//     backpressure.
//
// Without a subscriber the store keeps no changes. A list is held next to the objects
// that it replaces until it is complete; both share the objects that did not change. At
// most half of the slab memory, plus one slab, is dead.
//
// # Errors
//
// Apply, WaitFor and Subscription.Next return the cause of a canceled context. A
// closed Subscription returns [ErrClosed]. Load rejects a file with a [FileError].
package store
