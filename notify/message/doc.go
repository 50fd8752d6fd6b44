// Package message turns a notice into the words that people read.
//
// # Data flow
//
//	Notice -> Compose       -> Message -> channel: escape, Fit -> request
//	Notices -> ComposeDigest -^
//
// A Notice has facts and no words. The database stores it as JSON with each delivery. Compose
// chooses the words of a language, or those of a user's template. A channel escapes all text
// for its own syntax, and then lets Fit cut the message to its limits.
//
// # Ownership
//
// The package has no state and does no I/O. A Message belongs to the caller; Fit returns
// copies. Templates may be used by any goroutine.
//
// # Guarantees
//
// Text of users is never markup and never acts. In all text of a Message, invalid UTF-8,
// control characters and bidirectional characters are escapes, values end at 256 bytes, and
// addresses of users are no links. Links lead only to the configured portal. A part of a
// sentence vanishes if a field in it is unknown. Cuts never split a character or an escape,
// and never remove the state, the reason, the links and the mute.
//
// # Limits
//
// A message has at most six facts, three buttons and 20 lines of a log, and a digest 500
// rows. A template has at most 4 KiB and cannot repeat anything, so its cost is bounded.
// Compose takes about 20 µs.
//
// # Errors
//
// Only templates fail. Their message then has the default title and the links, and says that
// the template failed.
package message
