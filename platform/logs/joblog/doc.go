// Package joblog keeps the ends of the logs of containers in the database.
//
// # Data flow
//
//	Put(log, lines) -> Redactor -> union with the stored lines -> last lines within the limits -> chunks and row, in one transaction
//	Of, Lines, LastLine, Tail <- row and chunks
//
// A Log is one run of a container. A row has its facts, and compressed chunks have its
// text with the time of each line. Put merges its lines with the stored lines. For each
// time, the text with more lines wins, and then the text with more redactions. So neither
// the order nor the number of calls matters.
//
// # Ownership
//
// The package contains all SQL of its tables, and has no goroutines. Any goroutine may use
// a Store or a Redactor. Lines belong to their caller; Put does not change them. Recorders
// write concurrently: a version in the row lets one of two transactions win, and the other
// one starts again.
//
// # Guarantees
//
//  1. A stored line stays until a limit or retention removes it. Put never shortens a log
//     for another reason.
//  2. A line is stored once, even if several recorders write it repeatedly.
//  3. Row and text agree: a writer that stops at any statement leaves either the earlier
//     content or its complete content.
//  4. Secrets are replaced before anything is stored, even if a private key arrives in
//     several calls.
//  5. LostLines counts the lines that a limit removed, and Lost has the reason and the
//     time. The same lines are not stored again. The row stays until retention removes it.
//
// # Limits
//
// Limits configures the maximum lines and bytes of a log, bytes of a job, and bytes of all
// logs. A line has at most 16 KiB; the rest is cut, with a mark. A chunk has 64 KiB of
// text. The sum of all logs is recomputed every minute, so several recorders may exceed
// the total by the amount that they write in a minute. Times have a precision of
// microseconds. A pattern of a user is applied to the whole text of a call: a bad pattern
// can be slow. LostLines is a lower bound.
//
// # Errors
//
// Those of the database; every call may be repeated. Put retries by itself when another
// process was first. An unreadable chunk causes an error for its log only. No error
// contains text of a log.
package joblog
