// Package logtext shows lines of logs, which programs wrote for a terminal: with colors, and
// with carriage returns that overwrite a progress bar.
//
// # Data flow
//
//	a line of a log -> Terminal, Plain or File -> text that is safe to write
//
// # Ownership
//
// Functions keep nothing, and may be called from any goroutine.
//
// # Guarantees
//
// A line can change neither other lines nor the terminal. Of its control characters, only
// these have an effect: SGR sequences (ECMA-48, 8.3.117) that set the color of the text, bold,
// dim, italic or underlined, carriage returns, backspaces, and EL, which erases a part of the
// line. Other attributes of SGR are dropped: a background, inverse and concealed text could
// hide text. Everything else is escaped as in package internal/printable. The style ends with
// the line.
//
// The pages of the portal show the same text, without styles
// (platform/portal/ui/src/design/logtext.ts). Both are tested with one table.
//
// # Limits
//
// A sequence of more than 64 bytes is escaped. Each character counts as one column, so a wide
// character that a narrow one overwrites takes its column with it.
//
// # Errors
//
// None.
package logtext
