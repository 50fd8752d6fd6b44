// Package identity authenticates the requests to the portal.
//
// # Data flow
//
//	request -> host and origin -> proxy's headers | bearer token | session cookie -> Person -> context
//	/auth/token, /auth/oidc -> session cookie
//	/auth/local -> cookie of the local token
//	token -> file | identity provider (OIDC) | the API server that issued it (TokenReview)
//
// On a loopback address sign-in is required only if the configuration has a way to sign in. Without
// one, requests need the local token, which the user who runs the portal has, unless the
// configuration opens the portal to all users of the machine. On any other address New requires a
// way to sign in. Programs send a token as Authorization: Bearer. Browsers sign in
// once, and keep a session in an encrypted cookie. If several clusters may have issued a token, the
// client names one, in the header api.HeaderCluster or in the form.
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
// The local token enters a browser by one redirect, which removes it from the address. The cookie is
// derived from the token and the port, so a restart keeps pages open. A portal proves that it knows
// the token before a client sends it.
//
// A session ends after its lifetime, after a time without requests, and at sign-out. A session that
// began with a token ends when the token is removed from the file, or when its cluster no longer
// knows it. [Check] repeats these checks for open streams. Names and groups that begin with
// "system:" are accepted from the clusters and the token file only. The word of a cluster counts in
// that cluster only: Person.ID distinguishes its people from those of others with equal names. A
// token of the identity provider goes to no cluster that the client does not name.
//
// Logs, errors and URLs contain no secret. Tokens are compared in constant time.
//
// # Limits
//
// After 20 failed attempts within a minute, an address (an IPv6 network of 64 bits) is refused for
// the rest of the minute; tokens that it used successfully before still work. The token file is
// checked for changes every 2 s. An answer of a cluster about a token is cached for 30 s, and a
// refusal for 10 s. A person has at most 500 groups. A session takes at most 3 cookies. The process
// that ended a session refuses copies of its cookie at once. Other replicas that share
// Config.Endings refuse them within 3 s, while the store answers. The 50,000 last ended sessions
// are kept. At most 20 unknown tokens of an address are checked at once. An address may send 50
// requests a second below /auth/. Requests with the local token have no such limit, because all users
// of the machine have one address. Browsers send the cookies of a host to all of its ports, so a
// page of another local user gets the cookie of the local token from a browser that opens it.
//
// # Errors
//
// Refusals are problem documents, see api.Problem: sign-in, forgery, too-many, unavailable,
// cluster. They never reveal which part of a credential is wrong.
package identity
