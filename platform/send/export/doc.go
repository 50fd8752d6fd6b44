// Package export writes the transitions of a history to Parquet files, a file for each day, for
// DuckDB, Spark, Trino and other programs that read columns. Package s3 is a store in a bucket.
//
// # Data flow
//
//	history -> pages of transitions -> rows -> row groups of a Parquet file -> Store: day=2026-11-26/transitions.parquet
//
// # Ownership
//
// A call of Run belongs to its caller, who also owns the database and the store. The temporary
// files of a store are removed before Run returns.
//
// # Guarantees
//
//  1. A reader never sees a part of a file: a store shows a file after all of it was written.
//  2. A repeated export writes the same rows. The ID of a row is the ID of the CloudEvent that
//     package stream sends, so both can be joined.
//  3. A day that retention has deleted from the database stays in the store: a file is replaced by
//     one with fewer rows only with Config.Replace.
//
// # Limits
//
// The memory for a file does not depend on its number of rows: a row group has at most 100,000
// rows, or 16 MiB of text. A day is a day in UTC, by the time of the transition. It is final Settled
// after its end: a transition that is recorded later reaches the file with Config.Replace only. Run
// must not be called by two programs for one store at once; the last one wins.
//
// # Errors
//
// Run returns the days that it wrote before an error. It may be called again.
package export
