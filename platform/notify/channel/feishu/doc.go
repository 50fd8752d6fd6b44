// Package feishu sends messages as cards to Feishu and Lark.
//
// # Data flow
//
//	message.Message -> card of version 1.0 -> signature -> POST to the bot -> code in the answer
//
// A channel is one custom bot in one group, or an app of the company. An app gets a token
// with its secret, sends direct messages to private receivers, and all others to one
// group.
//
// # Ownership
//
// The channel owns its connections until Close. It modifies neither messages nor
// receivers. Any goroutine may call its methods.
//
// # Guarantees
//  1. The card has the color of the state. Its title is plain text.
//  2. Text of users is plain text or numeric entities. A mention comes from the address of
//     the receiver, an open_id or a user_id, only.
//  3. A card has at most 18 KB.
//  4. No error shows the URL, the secret or the token.
//
// # Limits
//
// Feishu accepts 100 messages per minute, 5 in a second, and 20 KB. The title has 60
// columns and the log 10 lines. Signatures hold for an hour, so the clocks must agree.
// From an app, a group or a person takes 5 messages in a second. Feishu shows a message of
// an app once, even if it arrives twice within an hour.
//
// # Errors
//
// Feishu reports failures with a code in the body, mostly with HTTP 200. 11232, 230020 and
// 99991400 are Throttled, 19001 (no such bot) is Disabled, 9499, 19002, 11246, 230001,
// 230025 and 230099 are Permanent. Everything else is Temporary, also problems that a
// change of the bot's settings can fix: 19021 (signature or clock), 19022 (address) and
// 19024 (keyword).
package feishu
