// Package dingtalk sends messages to DingTalk.
//
// # Data flow
//
//	message.Message -> actionCard or markdown -> signature in the URL -> POST to the robot -> errcode in the answer
//
// A channel is one custom robot in one group.
//
// # Ownership
//
// The channel owns its connections until Close. It modifies neither messages nor
// receivers. Any goroutine may call its methods.
//
// # Guarantees
//  1. The state has its color. A digest, and a message without buttons, is markdown.
//  2. Text of users is no markup: see channel.Inert. A mention comes from the address of the
//     receiver, a mobile number, only, and never mentions all.
//  3. A text has at most 3,400 characters, and a request 18 KB.
//  4. No error shows the URL, the secret or the token.
//
// # Limits
//
// DingTalk accepts 20 messages per minute. After one more it takes none for ten minutes.
// The rate is 15, and rules send digests by default. A request may have 20,000 bytes. The
// title has 60 columns and the log 5 lines. Signatures hold for an hour.
//
// # Errors
//
// DingTalk reports failures with errcode with HTTP 200. 130101, 410100, 90018 and 90030
// are Throttled for ten minutes at least. 300001, 400101, 400102 and 400013 (no token,
// robot stopped, no group) are Disabled. Refused content is Permanent. Everything else is
// Temporary, also 310000 (signature, clock, keyword or address), which a person can fix.
package dingtalk
