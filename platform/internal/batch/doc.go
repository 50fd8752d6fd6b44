// Package batch writes the observations of a scope in one transaction.
//
// # Data flow
//
//	observations -> lock the objects -> append -> update the objects -> backfill -> index -> decide the jobs -> outbox of the feed
//
// # Ownership
//
// Everything belongs to the goroutine that calls Write. The encoder adopts the keyframes
// only when the caller commits the result.
//
// # Guarantees
//
// Each revision of an object is stored once. Transitions follow from the states of adjacent
// revisions, in whatever order recorders write them. The state of an object only moves
// forward. All recorders lock objects in the order of their UIDs.
//
// # Limits
//
// The caller limits the size of a batch; Write holds its rows in memory until they are
// inserted.
//
// # Errors
//
// Write returns errors of the database. The caller must then roll the transaction back.
package batch
