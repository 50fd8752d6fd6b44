// Package identity authenticates the requests to the portal.
//
// # Data flow
//
//	request -> host and origin -> proxy's headers | bearer token | session cookie -> Person -> context
//	/auth/token, /auth/oidc -> session cookie
//	token -> file | identity provider (OIDC) | API servers (TokenReview)
//
// On a loopback address sign-in is required only if the configuration has a way to sign in. On any
// other address New requires one. Programs send a token as Authorization: Bearer. Browsers sign in
// once, and keep a session in an encrypted cookie.
//
// # Ownership
//
// Any number of goroutines may use an Identity. A Person belongs to its context and must not
// be changed. The package starts no goroutines; Run belongs to the caller.
//
// # Guarantees
//
// Headers of a proxy count only if the connection comes from one of its addresses. They are removed
// from all other requests, X-Forwarded-For included. A cookie has the prefix __Host- and Secure if
// the portal is reached by HTTPS or through a proxy, and is always HttpOnly and SameSite=Lax. Its
// content is encrypted and authenticated (AES-GCM).
//
// A write needs a token in [HeaderCSRF] that is bound to the session, and must come from the
// portal's own origin. Requests with a bearer token are exempt, because no page of another
// site can send them. Without sign-in, the header Host must name this machine or a configured
// name, and no proxy may have passed the request on.
//
// A session ends after its lifetime, after a time without requests, and at sign-out. A session that
// began with a token ends when the token is removed from the file, or when the clusters no longer
// know it. [Check] repeats these checks for open streams. Names and groups that begin with
// "system:" are accepted from the clusters and the token file only.
//
// Logs, errors and URLs contain no secret. Tokens are compared in constant time.
//
// # Limits
//
// After 20 failed attempts within a minute, an address (an IPv6 network of 64 bits) is refused for
// the rest of the minute; tokens that it used successfully before still work. The token file is
// checked for changes every 2 s. An answer of the clusters about a token is cached for 30 s, and a
// refusal for 10 s. A person has at most 500 groups. A session takes at most 3 cookies. The process
// that ended a session refuses copies of its cookie at once. Other replicas that share
// Config.Endings refuse them within 3 s, while the store answers. The 50,000 last ended sessions
// are kept. At most 20 unknown tokens of an address are checked at once. An address may send 50
// requests a second below /auth/.
//
// # Errors
//
// Refusals are problem documents, see api.Problem: sign-in, forgery, too-many, unavailable,
// cluster. They never reveal which part of a credential is wrong.
package identity
