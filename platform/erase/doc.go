// Package erase removes one job, or one other object, with everything that belongs to it.
//
// # Data flow
//
//	Find -> Plan -> Run: UIDs in erased_objects -> logs, messages, audit, gaps -> objects -> Clean
//	Clean: dictionaries with bodies of erased objects -> files of the database
//	export.Erase: Parquet files
//
// # Ownership
//
// All functions are safe for concurrent use, also of several processes. They start no goroutine.
//
// # Guarantees
//
// After Run, no row has content of the object, of the objects below it, or of Kubernetes events
// about them: no revision, transition, label, kept log, unsent or sent message, subscription or
// detail of an act. Their UIDs stay in the table erased_objects, so that a spill, a replay or a
// list does not bring the objects back. Positions of the feed stay, as numbers. Readers that are
// behind skip them.
//
// An interrupted Run loses nothing: a later call, or Clean, continues.
//
// # Limits
//
// An object that exists in the cluster is refused. Clean reads all revisions once if a dictionary
// contains a body of an erased object, and rewrites the file of an SQLite database.
//
// # Errors
//
// ErrExists, ErrGone and those of the database, with its URL.
package erase
