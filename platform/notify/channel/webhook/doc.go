// Package webhook sends messages as Standard Webhooks 1.0 whose bodies are CloudEvents 1.0
// in structured JSON.
//
// # Data flow
//
//	message.Message -> Event (JSON, at most 18 KB) -> signatures -> POST
//
// The headers are those of the specification: webhook-id, which is the key of the message
// and the id of the event; webhook-timestamp, the time of the try; and webhook-signature,
// with one signature per key, separated by spaces: "v1" (HMAC-SHA256) for keys that begin
// with whsec_, "v1a" (ed25519) for keys that begin with whsk_. To rotate a key, configure
// the new one beside the old one, and remove the old one when all receivers have the new.
//
// # Ownership
//
// Several goroutines may use a Channel at the same time. Close closes idle connections.
//
// # Guarantees
//   - A repeat of a message has the same webhook-id.
//   - A webhook-id has no full stop, which delimits the signed parts, and no character that
//     a header does not take. Such characters are percent-encoded, and a key above 255
//     bytes becomes its SHA-256.
//   - Text of users takes the first step of escaping only: control and bidirectional
//     characters become escapes. A receiver that shows the text must escape it.
//
// # Limits
//
// A body has at most 18 KB: the log goes first, oldest lines first, then the jobs of a
// digest, those that succeeded first; "truncated" names what is missing.
//
// # Errors
//
// 410 is Disabled. 429, 502 and 504, and 503 with a Retry-After, are Throttled. An answer
// with "webhook-delivery: abort-message" is Permanent. Every other code is Temporary, as
// the specification asks: redirects, which are never followed, and codes of 4xx, because
// the receiver may be fixed before the last try.
package webhook
