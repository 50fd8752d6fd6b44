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
// repeats none, however often the connection is cut. A token is sent only to the address of the
// portal: redirects are not followed, and without TLS it is sent only to the loopback address.
// No value selects another path.
//
// # Limits
//
// An answer may have 64 MiB and take a minute, an event may have 16 MiB. A stream without events
// for 30 s is reopened. Writes are not repeated, except with a new CSRF token.
//
// # Errors
//
// A refusal of the portal is an [*api.Problem]. Other errors mean that it does not answer.
package client
