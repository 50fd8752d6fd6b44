// Package stdout prints messages on a terminal: the channel of `vedette demo`, and the
// lines of `vedette watch --messages`.
//
// # Data flow
//
//	message.Message -> lines, in colors on a terminal -> io.Writer
//
// The first line has the time, the word "message" and the title, in which the state has
// its color. The sentence follows, then what became of the delivery, and the next command.
//
// # Ownership
//
// Several goroutines may use a Printer or a Channel at the same time: each message is one
// Write. The writer belongs to the caller.
//
// # Guarantees
//   - Text of users cannot move the cursor, set colors or add lines.
//   - There is no color in pipes, and none with NO_COLOR or TERM=dumb.
//   - Send returns when its context ends, also while the writer blocks. At most one
//     goroutine waits for the writer then, and it ends when the writer does.
//
// # Limits
//
// A digest shows at most 20 jobs, and a log 10 lines.
//
// # Errors
//
// Errors of the writer are Temporary.
package stdout
