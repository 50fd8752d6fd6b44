// Package spool keeps batches of deltas in a file while the database is away.
//
// # Data flow
//
//	Push -> file -> First -> Drop
//
// # Ownership
//
// A Spool belongs to one goroutine; any goroutine may read its size. Its file belongs to
// one process, which holds a lock on it. All spools of a recorder share a Budget.
//
// # Guarantees
//
// A batch is on the disk when Push returns. Batches come back in their order, also in the
// next process. An incomplete batch at the end of the file is cut off.
//
// # Limits
//
// The Budget bounds the bytes of all files together. The file shrinks when it is empty.
//
// # Errors
//
// ErrFull when the Budget is used up; damage to the file; errors of the file system.
package spool
