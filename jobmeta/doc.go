// Package jobmeta names the labels and annotations of jobs that Vedette reads and writes.
//
// # Data flow
//
//	submit  -> Submitter, RequestKey, Template, RetryOf, RetryRoot -> record, notify, history
//	submit  -> Held, HeldQueue -> portal; release removes them
//	cancel  -> CancelledBy, CancelReason, CancelledAt, Cancel -> state, record, notify
//
// # Ownership
//
// Everything here is a constant or a pure function.
//
// # Guarantees
//
// Names never change, because recorded objects have them. Any tool may set them.
//
// # Limits
//
// The API server checks no value: anybody who may change a job may write any name into it. The
// values are claims, like labels, and grant no right.
//
// # Errors
//
// None. A value that is not a text counts as not set.
package jobmeta
