// Package jobview converts recorded jobs to the types of the API: rows, pods, attempts, YAML and
// differences.
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
// The functions retain nothing. Their results belong to the caller, but share labels with the rows
// of the index. Any goroutine may use an Enricher, which caches its newest 40,000 results at most.
//
// # Guarantees
//
// No result has the data of a Secret. A missing fact leaves a field empty. Text of users is not
// changed, except that a message is truncated to 300 bytes.
//
// # Limits
//
// A page of rows takes at most seven queries. In lines longer than 4 KiB no words are marked. A
// page reads at most 1,000 index entries of pods, so a row may lack its node.
//
// # Errors
//
// ErrSecret reports a body that must not be shown. Other errors come from the database.
package jobview
