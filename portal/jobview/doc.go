// Package jobview makes what the API shows of jobs: rows, pods, attempts, YAML and differences.
//
// # Data flow
//
//	jobindex.Row, Extra                          -> Job
//	history.Object of pods, bodies, lives        -> PodSet -> pods, runs of containers
//	chain of retries, PodSet, kept logs          -> Attempts
//	body, version -> Body (YAML) -> Diff of two bodies
//	Enricher -> Extra of each row of a page, with a fixed number of queries
//
// # Ownership
//
// The functions keep nothing. Their results share labels with the rows that they were made
// from, and belong to the caller otherwise. Any goroutine may use an Enricher, which keeps its
// newest 40,000 results at most.
//
// # Guarantees
//
// The data of a Secret is in no result. A missing fact leaves a field empty: nothing is
// guessed. Text of users is not changed, except that a message is cut to 300 bytes.
//
// # Limits
//
// A page of rows takes at most seven queries. Of a line longer than 4 KiB no words are marked.
// Pods of a page beyond 1,000 index entries are not read, so a row may lack its node.
//
// # Errors
//
// ErrSecret reports a body that is not shown. Other errors come from the database.
package jobview
