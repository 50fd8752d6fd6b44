// Package email sends messages as e-mail, by SMTP.
//
// # Data flow
//
//	message.Message -> HTML and plain text, icons as parts -> one mail -> SMTP server
//
// The HTML is a table of 640 pixels with inline styles: no script, no web font, no picture
// from outside. It has a dark look for readers that ask for one. The plain text says the
// same in the same order, in 72 columns.
//
// # Ownership
//
// Several goroutines may use a Channel at the same time. It keeps at most two idle
// connections, each for 15 s and 100 mails. Close closes them.
//
// # Guarantees
//   - A password travels over TLS only. STARTTLS is mandatory unless the settings say
//     otherwise, and the server's certificate is always checked.
//   - A mail's Message-ID comes from the key of the message and the address, so a repeat
//     has the same one, from whichever replica it comes.
//   - All mails of a job refer to one Message-ID, UID@CLUSTER.vedette, so readers show them
//     as one thread. No mail has that Message-ID: readers drop a mail whose Message-ID they
//     have seen, and no replica can know which mail arrives first.
//   - Text of users cannot add a header, a recipient, markup or a link.
//
// # Limits
//
// HTML and plain text have at most 90 KB together, because Gmail clips at 102 KB. A
// subject has at most 78 columns.
//
// # Errors
//
// An answer of 5xx to a sender, a recipient or a mail is Permanent. 421, and 4xx before
// the first mail of a connection, are Throttled: the server wants fewer connections.
// Everything else is Temporary: other answers of 4xx, faults of the network and of TLS,
// and a wrong password, which may be corrected later. Errors have the server's words
// without the password.
package email
