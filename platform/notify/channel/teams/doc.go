// Package teams sends messages to Microsoft Teams.
//
// # Data flow
//
//	message.Message -> Adaptive Card 1.4 -> POST to the workflow -> HTTP status
//
// A channel is one workflow that posts cards to a channel or a chat. The webhooks of older
// connectors work, too.
//
// # Ownership
//
// The channel owns its connections until Close. It modifies neither messages nor receivers.
// Any goroutine may call its methods.
//
// # Guarantees
//
//  1. The container with the title has the style of the state.
//  2. Text of users stands in TextRuns, which have no markup. In facts, which have, it is
//     inert: see channel.Inert. A mention comes from the address of the receiver, a user
//     principal name or an object ID, only.
//  3. A request has at most 24 KB.
//  4. No error shows the URL, the secret or the token.
//
// # Limits
//
// Teams takes four messages in a second, and 28 KB. The log has 10 lines.
//
// # Errors
//
// A workflow answers 202. An older webhook may answer 200 with a failure in words. HTTP 429
// is Throttled, 410 Disabled. See channel.Answer for the other codes.
package teams
