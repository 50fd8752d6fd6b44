// Package streamtest has the tests that each sink of events must pass.
//
// # Data flow
//
//	Events -> stream.Sink -> Broker -> messages, which Run compares with the events
//
// # Ownership
//
// Run owns the sinks that it requests, and closes them.
//
// # Guarantees
//
// None. The package is for tests only.
//
// # Limits
//
// A broker must be able to stop and to start again with its messages.
//
// # Errors
//
// Everything fails the test.
package streamtest
