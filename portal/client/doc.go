// Package client is a thin client of the JSON API of the portal. The command line uses it with
// --server.
//
// # Data flow
//
//	method -> path of package api, parameters -> request -> JSON -> type of package api
//	Stream -> server-sent events -> Event, with the position to continue at
//
// # Ownership
//
// Answers belong to the caller. A Client has no goroutine of its own.
//
// # Guarantees
//
// There is one method for each operation of the OpenAPI document. Stream loses no change and
// repeats none, however often the connection is cut. A token is sent to the address of the
// portal only: redirects are not followed, and without TLS it goes to the loopback address only.
// No value leads to another path.
//
// # Limits
//
// An answer may have 64 MiB and take a minute, an event 16 MiB. A stream that is silent for 30 s
// is opened again. Writes are not repeated, except with a new CSRF token.
//
// # Errors
//
// Whatever the portal refuses is an [*api.Problem]. Other errors say that it does not answer.
package client
