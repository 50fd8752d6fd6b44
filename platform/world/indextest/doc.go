// Package indextest fills job indexes without a database, for benchmarks and tests of the
// packages that read them.
//
// # Data flow
//
// seed, number of jobs, end of the history -> World -> Jobs -> jobindex.Index.Put
//
// # Ownership
//
// A World belongs to one goroutine. Jobs belong to the caller.
//
// # Guarantees
//
// Worlds with equal arguments have equal jobs.
//
// # Limits
//
// The world is made up: 40 queues, 2,000 owners, 500 namespaces in two clusters, one job in 200
// open, five transitions per job. It is for tests only.
//
// # Errors
//
// No function returns an error.
package indextest
