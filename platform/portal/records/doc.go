// Package records reads the history through a portal, with the methods of package history.
//
// # Data flow
//
//	package history -> platform/portal/recordapi -> JSON of platform/portal/api -> platform/portal/client -> History
//
// The command line prints from the values of package history, so its output is the same with a
// database and with a portal.
//
// # Ownership
//
// A History uses the client passed to New, and closes nothing.
//
// # Guarantees
//
// A value after a round trip through JSON equals the original, except for the location of its
// times. Invalid values of a portal become errors or zero, and never a panic.
//
// # Limits
//
// The portal's clock determines the length of open spans.
//
// # Errors
//
// Errors are the errors of package client: *api.Problem, or that the portal does not
// answer. A problem about an unknown object is also history.ErrUnknown.
package records
