// Package smoke follows one failed job through the whole program, in one process and without a
// control plane.
//
// # Data flow
//
//	simulation of package demo -> apitest -> recorder -> SQLite -> notifier -> webhook
//	                                                            -> portal -> Chromium -> retry -> apitest
//
// # Ownership
//
// The test owns the server, all parts and the browser, and ends them. No goroutine is left.
//
// # Guarantees
//
// The time of the simulation elapses at the word of the test, so nothing depends on a clock. Each
// wait ends with the state of the part that it waits for, in the order of the data flow: the
// first part that does not work is the one that fails.
//
// # Limits
//
// The simulation writes what a queue, the Job controller and nodes write; the other packages of
// this module prove that real ones do. Chromium must be installed; tools/setup.sh does that.
package smoke
