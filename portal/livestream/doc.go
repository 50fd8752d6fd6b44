// Package livestream tells browsers about changes of jobs, with one log for all of them.
//
// # Data flow
//
//	jobindex -> Hub.Append: each change serialized once -> log (a ring)
//	         -> every 20 to 100 ms a tick; browsers with the same sight share its frame
//	         -> one cursor for each browser -> server-sent events
//
// A browser that falls behind gets smaller events of its own. A browser that the log has
// forgotten gets an event reset, and loads everything again.
//
// # Ownership
//
// The hub owns the serialized changes; nobody changes them afterwards. One goroutine owns a
// browser's cursor: the one that serves its request.
//
// # Guarantees
//
// Between two resets, a browser receives each change that its person may see exactly once,
// in the order of the feed, also across connections that continue at Last-Event-ID. Each
// change is checked against the sight of the person when it is written. A browser asks for
// the sight every 20 s; if it has changed, an event says so, and the stream goes on with the new one.
//
// # Limits
//
// The log has at most 65,536 changes and 48 MB. A browser needs the memory of its connection
// and at most one event of about 32 KB. A client that does not accept an event within 10 s
// is cut. There are at most 5,000 streams.
//
// # Errors
//
// Problems of package web before a stream begins. Afterwards an error ends the stream, and
// the client connects again.
package livestream
