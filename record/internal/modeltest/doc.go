// Package modeltest fills databases for tests of the packages that read or prune them.
//
// # Data flow
//
// Revision -> Database.Write -> tables of package model. Write stores what a recorder
// stores, with less code: it knows no late revisions and no duplicates.
//
// # Ownership
//
// A Database belongs to one test. Any goroutine of the test may call Write and Rows.
//
// # Guarantees
//
// None. It is for tests only.
//
// # Limits
//
// Revisions of an object come in the order of their versions. All objects are jobs in the
// namespace ml.
//
// # Errors
//
// Open, Rows and Clear end the test. Write and Body return errors.
package modeltest
