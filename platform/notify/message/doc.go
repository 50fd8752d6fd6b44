// Package message composes the text of messages from notices.
//
// # Data flow
//
//	Notice -> Compose       -> Message -> channel: escape, Fit -> request
//	Notices -> ComposeDigest -^
//
// A Notice has facts but no words. The database stores it as JSON with each delivery.
// Compose uses the words of a language, or a user's template. A channel escapes all text
// for its own syntax, and then calls Fit to cut the message to its limits.
//
// # Ownership
//
// The package has no state and does no I/O. A Message belongs to the caller; Fit returns
// copies. Any goroutine may use Templates.
//
// # Guarantees
//
// Text of users is never markup and never triggers an action. In all text of a Message,
// invalid UTF-8, control characters and bidirectional characters are escapes, values end
// at 256 bytes, and addresses of users are not links. Links lead only to the configured
// portal. A part of a sentence is omitted if a field in it is unknown. Cuts never split a
// character or an escape, and never remove the state, the reason, the links and the mute.
//
// # Limits
//
// A message has at most six facts, three buttons and 20 lines of a log, and a digest 500
// rows. A template has at most 4 KiB and no loops, so its cost is bounded. Compose takes
// about 20 µs.
//
// # Errors
//
// Only templates fail. Their message then has the default title and the links, and says
// that the template failed.
package message
