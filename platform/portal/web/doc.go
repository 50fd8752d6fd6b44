// Package web implements what all requests and answers of the portal share: operations with their
// OpenAPI document, problem documents, limits, validators, compression and events.
//
// # Data flow
//
//	request -> Handler: limits, headers, a guard against panics
//	        -> operation: parameters and body from the Go type, context with a time limit
//	        -> handler -> JSON with an ETag, or events, or a problem document
//
// # Ownership
//
// A handler owns its input. It must not change its output after it returns. Only one goroutine may
// use an Events.
//
// # Guarantees
//
// Each error is a problem document (RFC 9457) of type [api.Problem]. This includes unknown paths
// and methods, bodies that are too large, and panics. The text of an unknown error is logged under
// an instance ID and never sent to a person.
//
// # Limits
//
// An operation that reads may take [ReadTime], one that writes [WriteLimit], a dry run
// [DryRunLimit]. A body may have [BodyLimit] bytes, and [SubmitLimit] with a job. A client may
// take [WriteTime] to accept an event.
//
// # Errors
//
// [ProblemOf] maps errors of databases, API servers and package submit to problems.
package web
