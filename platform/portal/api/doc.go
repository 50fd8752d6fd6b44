// Package api has the types of the JSON API of the portal, and the names of its paths.
//
// # Data flow
//
//	Go types -> OpenAPI document -> documentation page
//	Go types -> TypeScript types -> pages
//	Go types -> package client -> command line
//
// The handlers, the Go client and the generated TypeScript of the pages use these types, so
// the three cannot disagree.
//
// # Ownership
//
// Values belong to whoever decoded or made them.
//
// # Guarantees
//
// Fields are added, and never renamed or removed, within v1. Clients must ignore fields that
// they do not know.
//
// # Limits
//
// Package web bounds requests and answers.
//
// # Errors
//
// Errors are problem documents (RFC 9457), see [Problem].
//
// # Conventions
//
// Paths begin with [Prefix]. Times are RFC 3339 in UTC with milliseconds; a time that is not
// known is missing. Durations are seconds. States are the words of package job. Lists have
// a cursor to the next page, which is opaque. A job is named by the name of its cluster and
// the UID of its object.
//
// Answers about history carry an ETag; a request with If-None-Match gets 304 if nothing
// changed.
//
// The parameter at shows the recorded state as of an instant. Lists, counts, jobs, the timeline and
// the statistics understand it.
package api
