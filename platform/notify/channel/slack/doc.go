// Package slack sends messages to Slack.
//
// # Data flow
//
//	message.Message -> blocks and an attachment -> POST to an incoming webhook, or chat.postMessage
//
// A channel is one incoming webhook, or a bot that posts to one conversation. With a bot
// the messages of a job form a thread, and a private receiver gets direct messages. A
// reply that cannot wait appears in the conversation, too.
//
// # Ownership
//
// The channel owns its connections until Close. It modifies neither messages nor
// receivers. Any goroutine may call its methods.
//
// # Guarantees
//  1. The attachment has the color of the state.
//  2. Text of users is plain text or escaped mrkdwn. A mention comes from the address of the
//     receiver, the ID of a user, only.
//  3. A payload keeps the limits of Slack's blocks.
//  4. No error shows the URL, the secret or the token.
//
// # Limits
//
// Slack takes a message per second. A header has 150 characters, a section 3,000 (here
// 2,900), and a message 50 blocks. The first messages of 4,096 jobs are known. After a
// restart, the next message of a job begins another thread.
//
// # Errors
//
// The Web API reports failures with "ok": false with HTTP 200, a webhook by the status and
// a word. HTTP 429 is Throttled. An archived channel, a removed webhook and a revoked
// token are Disabled. A refused payload is Permanent. Everything else is Temporary, also
// missing rights, which a person can fix.
package slack
