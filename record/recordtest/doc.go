// Package recordtest tests that a database works for the recorder.
//
// # Data flow
//
// A driver under test -> Run -> sqldb, record, record/history, record/retention.
//
// # Ownership
//
// Run owns each database that it gets from the caller, and closes it.
//
// # Guarantees
//
// A driver that passes Run records the same history as the drivers of package sqldb.
//
// # Limits
//
// Run does not test what depends on a server: passwords, TLS and outages.
//
// # Errors
//
// Failures are those of the test that calls Run.
package recordtest
