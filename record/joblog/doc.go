// Package joblog keeps the ends of the logs of containers in the database.
//
// # Data flow
//
//	Put(log, lines) -> Redactor -> union with the stored lines -> last lines within the limits -> chunks and row, in one transaction
//	Of, Lines, LastLine, Tail <- row and chunks
//
// A Log is one run of a container. A row has its facts, and compressed chunks have its
// text with the time of each line. The lines of a Put are added to those that
// are stored. For each time, the text that has more lines wins, and then the text with more
// secrets replaced. So neither the order nor the number of calls matters.
//
// # Ownership
//
// The package has all SQL of its tables, and no goroutines. Any goroutine may use a Store
// or a Redactor. Lines belong to their caller; Put does not change them. Recorders write at
// the same time: a number in the row lets one of two transactions win, and the other one
// starts again.
//
// # Guarantees
//
//  1. A line that was stored stays until a limit or retention removes it. A Put never makes
//     a log shorter for another reason.
//  2. A line is stored once, however often and by however many recorders it comes.
//  3. Row and text agree: a writer that stops at any statement leaves what was there
//     before, or all that it wrote.
//  4. Secrets are replaced before anything is stored, also if a private key comes in
//     several calls.
//  5. LostLines counts the lines that a limit removed, and Lost says why and when. The same
//     lines do not come back. The row stays until retention removes it.
//
// # Limits
//
// Limits bounds the lines and bytes of a log, the bytes of a job, and the bytes of all
// logs. A line has 16 KiB; the rest is cut, with a mark. A chunk has 64 KiB of text. The sum
// of all logs is a minute old at most, so several recorders may exceed the total by what
// they write in a minute. Times are kept in microseconds. A pattern of a user is applied to
// the whole text of a call: a bad pattern can be slow. LostLines is a lower bound.
//
// # Errors
//
// Those of the database; every call may be repeated. A Put tries again by itself when
// another process was first. A chunk that cannot be read is an error of its log only. No
// error contains text of a log.
package joblog
