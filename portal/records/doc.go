// Package records reads the history through a portal, with the methods of package history.
//
// # Data flow
//
//	package history -> portal/recordapi -> JSON of portal/api -> portal/client -> History
//
// The command line prints from the values of package history, so its output is the same with a
// database and with a portal.
//
// # Ownership
//
// A History uses the client that it was given, and closes nothing.
//
// # Guarantees
//
// A value that comes back from the JSON equals the value that went in, except for the location
// of its times. Values of a portal that are not of this API are errors or zero, and never a
// panic.
//
// # Limits
//
// The clock of the portal decides how long open spans last.
//
// # Errors
//
// Errors are those of package client: *api.Problem, or that the portal does not answer. A
// problem of an unknown object is history.ErrUnknown too.
package records
