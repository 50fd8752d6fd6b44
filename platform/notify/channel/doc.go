// Package channel defines how a message leaves the program.
//
// # Data flow
//
//	message.Message, Receiver -> Channel.Send -> Receipt or *Error
//
// A channel is one configured destination: a group in a chat, an SMTP server, an HTTP
// endpoint. Its package renders a message into the protocol's payload and sends it. The
// caller counts tries, waits and chooses what comes next by the Kind of the error.
//
// Channels that use HTTP share Endpoint, which bounds answers and keeps secrets out of
// errors. Package channeltest tests every channel, also channels of other modules.
//
// # Ownership
//
// Several goroutines may call Send and Check of a channel at the same time. A channel
// modifies neither the message nor the receiver. The caller calls Close once, after the
// last Send.
//
// # Guarantees
//
//  1. Send returns within Traits.Timeout, and soon after ctx ends.
//  2. Text of users is never markup: a channel escapes all text for its own syntax.
//  3. A mention comes from Receiver.Address only.
//  4. A payload obeys the limits of the protocol. The cut loses the log first, never the
//     state, the reason, the link or the mute.
//  5. No error shows a secret, or a URL with a secret.
//  6. Check sends no message.
//
// # Limits
//
// A channel may send a message twice: if the answer is lost, the caller cannot know whether
// the message arrived. At most 64 KB of an answer are read.
//
// # Errors
//
// Send returns *Error. Any other error counts as Temporary.
package channel
