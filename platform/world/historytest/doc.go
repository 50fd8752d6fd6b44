// Package historytest writes histories for tests of programs that read them.
//
// # Data flow
//
//	Revision -> Database.Write -> the rows of a recorder, with entries for the feed
//
// # Ownership
//
// A Database belongs to one test. Write and Rows are safe for concurrent use.
//
// # Guarantees
//
// None. The package is for tests only.
//
// # Limits
//
// The revisions of an object must be in the order of their versions. All objects are jobs
// in the namespace ml.
//
// # Errors
//
// Open and Rows fail the test. Write and Body return errors.
package historytest
