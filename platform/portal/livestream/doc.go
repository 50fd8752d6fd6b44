// Package livestream streams the changes of jobs to browsers from one shared log.
//
// # Data flow
//
//	jobindex -> Hub.Append: each change serialized once -> log (a ring)
//	         -> every 20 to 100 ms a tick; browsers with the same sight share its frame
//	         -> one cursor for each browser -> server-sent events
//
// A browser that falls behind gets smaller events of its own. A browser whose position is no longer
// in the log gets an event reset, and loads everything again.
//
// # Ownership
//
// The hub owns the serialized changes, which are immutable. The goroutine that serves a browser's
// request owns the browser's cursor.
//
// # Guarantees
//
// Between two resets, a browser receives each change that its person may see exactly once, in the
// order of the feed, also across connections that continue at Last-Event-ID. Each change is checked
// against the sight of the person when it is written. A browser refreshes the sight every 20 s. If
// it has changed, the stream sends an event and continues with the new sight.
//
// # Limits
//
// The log has at most 65,536 changes and 48 MB. A browser needs the memory of its connection and at
// most one event of about 32 KB. A client that does not accept an event within 10 s is
// disconnected. There are at most 5,000 streams.
//
// # Errors
//
// Before a stream begins, errors are problems of package web. Afterwards an error ends the stream,
// and the client reconnects.
package livestream
