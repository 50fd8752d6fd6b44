// Package bodies encodes the bodies of revisions for the database, and decodes them.
//
// # Data flow
//
//	body -> Encoder: keyframe or difference -> model.StoredBody -> a row of revisions
//	row of revisions, and the row of its keyframe -> Read -> body
//
// The first revision of an object is a keyframe: its body is stored whole, compressed with
// a dictionary of its type. The next revisions are stored as differences from that
// keyframe. The next keyframe follows after 31 differences, or when a difference is large.
// Reading a body takes at most two rows.
//
// # Ownership
//
// An Encoder belongs to one goroutine, except for Prepare, which another one may call. A
// Batch belongs to one transaction.
//
// # Guarantees
//
// A difference refers to an earlier keyframe of the same object, never to another
// difference. Read verifies the hash of every body. An Encoder adopts only committed
// batches.
//
// # Limits
//
// An Encoder caches keyframes up to the number of bytes that NewEncoder takes, and up to 48
// recent bodies of at most 12 KiB for the next dictionary.
//
// # Errors
//
// ErrNoBody reports a body that is no longer stored. The error for a damaged body has its
// hash. Errors of the database are wrapped.
package bodies
