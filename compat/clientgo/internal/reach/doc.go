// Package reach makes clients of client-go reachable by the byte tunnel after the fact:
// it returns a client like the given one whose HTTP client has a tunnel.Transport. The
// given client stays as it is.
//
// # Data flow
//
// A client holds a REST client, and that an HTTP client. The copy has the same address,
// rate limiter, handler of warnings and HTTP transport, with the tunnel outside of all
// layers of the transport.
//
// # Ownership
//
// The copy shares connections and the rate limiter with the original.
//
// # Guarantees
//
// A client of an unknown type, such as a fake, is returned unchanged.
//
// # Limits
//
// The content type of the original is not kept; the tunnel sets its own.
//
// # Errors
//
// None: a client that cannot be copied is returned unchanged, and its informers say why
// they are not accelerated.
package reach
