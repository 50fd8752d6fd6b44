// Package wecom sends messages to WeCom.
//
// # Data flow
//
//	message.Message -> text_notice card or markdown -> POST to the robot -> errcode in the answer
//
// A channel is the robot of one group. A card cannot mention anybody. So a message with a
// mention is markdown, like a digest and a message without a link.
//
// # Ownership
//
// The channel owns its connections until Close. It modifies neither messages nor
// receivers. Any goroutine may call its methods.
//
// # Guarantees
//  1. Failed is red and Succeeded green, the only colors that WeCom has.
//  2. Text of users is no markup: see channel.Inert. A mention comes from the address of the
//     receiver, a userid, only.
//  3. Markdown has at most 3,900 bytes. A card keeps the lengths that WeCom recommends, and
//     always has the link that mutes.
//  4. No error shows the URL, the secret or the token.
//
// # Limits
//
// WeCom accepts 20 messages per minute, and 4,096 bytes of markdown. There is no log. A
// card has six facts and three links: the page of the first button opens with the card
// itself.
//
// # Errors
//
// WeCom reports failures with errcode with HTTP 200. 45009 and 45033 are Throttled for a
// minute at least, and 93000 (no such robot) is Disabled. Refused content is Permanent,
// everything else Temporary.
package wecom
