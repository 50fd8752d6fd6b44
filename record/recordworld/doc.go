// Package recordworld writes made-up histories into databases, for benchmarks of the programs
// that read them. A history of 1,000,000 jobs takes minutes and not hours.
//
// # Data flow
//
//	indextest.World -> jobs -> Fill: objects, transitions, bodies, labels, pods -> database
//	Writer.Write: new jobs, and the next transitions of earlier ones -> a transaction each
//
// Fill writes the rows that a recorder would have left. A Writer makes the transactions that a
// recorder makes, with the locks and the rows of one.
//
// # Ownership
//
// Fill owns an empty database until it returns. A Writer belongs to one goroutine. The caller
// closes the database, and runs a sequencer of the feed.
//
// # Guarantees
//
// Histories with equal arguments have equal rows. The transitions of a Writer are all in the
// feed, in the order of its calls.
//
// # Limits
//
// One job in 20, and each open job, has pods, at most three. Other jobs have one body, that of
// their last revision. The transition index has the entries of pods and of what a Writer writes.
// Of the jobs of Fill it has none, because lists do not read them. All bodies are keyframes.
//
// # Errors
//
// Those of the database come back wrapped.
package recordworld
