// Package spool keeps batches of deltas in a file while the database is unavailable.
//
// # Data flow
//
//	Push -> file -> First -> Drop
//
// # Ownership
//
// A Spool belongs to one goroutine; Bytes is safe for concurrent use. Its file belongs to
// one process, which holds a lock on it. All spools of a recorder share a Budget.
//
// # Guarantees
//
// A batch is on disk when Push returns. First returns batches in the order of Push, also in
// a later process. Open removes an incomplete batch at the end of the file.
//
// # Limits
//
// The Budget limits the bytes of all files together. The file shrinks only when the spool
// is empty.
//
// # Errors
//
// ErrFull if the Budget is exhausted; damage to the file; errors of the file system.
package spool
