// Package shoutrrr sends messages to further services, each named by a URL: Discord,
// Telegram, Matrix, Mattermost, ntfy, Gotify, Pushover, Rocket.Chat, Zulip, Signal, Bark,
// Google Chat, IFTTT, Join, Pushbullet and Notifiarr. The library nicholas-fedor/shoutrrr
// knows their protocols.
//
// # Data flow
//
//	message.Message -> plain text -> service of the library -> HTTP
//
// The text is the title, the sentence, the facts or the jobs, and the link. Services with
// a field for the title get it there.
//
// # Ownership
//
// A Channel is safe for several goroutines, and sends one message at a time, because the
// services of the library keep state. Close closes idle connections.
//
// # Guarantees
//   - Text of users is no markup and mentions nobody.
//   - No error shows the URL or a part of it.
//   - Discord, Telegram, Mattermost, ntfy, Gotify, Pushover and Rocket.Chat reach only
//     addresses that the guard allows, follow no redirect, take no proxy from the
//     environment, and end with the context.
//
// # Limits
//
// The library gives no way to the HTTP client of the other services. For Matrix, Zulip,
// Signal, Bark and Google Chat the host is resolved and checked before each message. A
// name that changes its address in between can still lead into the private network, and so
// can a redirect of the server. Name only servers that you trust. IFTTT, Join, Pushbullet
// and Notifiarr have fixed hosts. All of these take a proxy from the environment. A
// request of theirs that hangs outlives Send; at most one per channel does, and the next
// message waits for it.
//
// Services with a channel of our own are refused, so are those that need none of HTTP.
//
// # Errors
//
// Where the code of HTTP is known, it decides as in package channel. Else errors are
// Temporary. A panic of the library is a Temporary error.
package shoutrrr
