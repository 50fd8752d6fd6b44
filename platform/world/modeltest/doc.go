// Package modeltest fills databases for tests of the packages that read or prune them.
//
// # Data flow
//
// Revision -> Database.Write -> tables of package model. Write stores the same rows as a
// recorder, with less code: it does not support late revisions and duplicates.
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
// Open, Rows and Clear fail the test. Write and Body return errors.
package modeltest
