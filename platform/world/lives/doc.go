// Package lives asks all readers of the platform about the same recorded lives of jobs.
//
// # Data flow
//
//	the writes of a controller -> observations -> the rows of a recorder -> each reader -> its numbers
//
// The lives are in tables of the tests. Each names the source of its writes.
//
// # Ownership
//
// A database belongs to one life.
//
// # Guarantees
//
// Each reader shows the numbers of the table, or none: package job, lists from the database, the job
// index, the page of a job, statistics, explanations, messages and traces.
//
// # Limits
//
// Streams and exports have transitions and no numbers. Pods are not recorded, so attempts come from
// transitions alone. The package has tests only.
//
// # Errors
//
// A test fails with the reader and the life whose numbers differ.
package lives
