// Package recordworld writes synthetic histories to databases, for benchmarks of programs
// that read them. A history of 1,000,000 jobs takes minutes, not hours.
//
// # Data flow
//
//	indextest.World -> jobs -> Fill: objects, transitions, bodies, labels, pods -> database
//	Writer.Write: new jobs, and the next transitions of earlier ones -> a transaction each
//
// Fill writes the rows that a recorder would leave. A Writer runs the same transactions as
// a recorder, with the same locks and rows.
//
// # Ownership
//
// Fill requires exclusive use of an empty database. A Writer belongs to one goroutine. The
// caller closes the database, and runs a sequencer of the feed.
//
// # Guarantees
//
// Equal arguments yield equal rows. All transitions of a Writer are in the feed, in the
// order of its calls.
//
// # Limits
//
// One job in 20, and each open job, has pods, at most three. Other jobs have one body, for
// their last revision. The transition index has the entries of pods and of a Writer's
// transitions. It has no entries for the jobs of Fill, because lists do not read them. All
// bodies are keyframes.
//
// # Errors
//
// Errors of the database are wrapped.
package recordworld
