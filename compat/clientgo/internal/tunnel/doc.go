// Package tunnel takes the bytes of lists and watches out of clients of client-go.
//
// A ListerWatcher of client-go is a pair of functions that return objects. They build a
// request with the namespace, the selectors and the credentials of their client, so no
// other code can send the same request. The tunnel lets them send it, and takes the
// answer: [Source] calls the function with a mark in its context, [Transport] finds the
// mark in the request, sends the request, keeps the answer for the Source, and returns
// an empty answer to the client. Nothing is decoded.
//
// # Data flow
//
//	Source.Watch -> watch function of the user -> client-go -> Transport -> API server
//	      ^                                                        |
//	      +----------------------- body ---------------------------+
//
// # Ownership
//
// A Source and a Transport may be used by any goroutine. The caller of a Source closes
// the body. A body lives as long as the context that the Source was called with, and
// not as long as the context that client-go gives to its request: that one ends when
// the call returns.
//
// # Guarantees
//
// The request differs from the one that the client built in three ways: Accept, and the
// parameters for versions, pages, bookmarks and timeouts are those of the engine.
// Requests without a mark pass unchanged. Answers other than 200 pass to the client, so
// exec plugins see a 401, client-go repeats a 429, and errors are those of client-go.
// Metrics of client-go count the status that the server sent, and its handler of
// warnings gets the warnings. Each answer is closed: by the client, by the caller of the
// Source, or by the tunnel.
//
// # Limits
//
// [Source.Probe] detects functions that must not be bypassed: functions that ignore their
// context, send several requests, or wrap the watch of their client. It does not detect a
// function that changes or filters only the objects of its lists. Metrics
// of client-go count the size of the empty answer.
//
// # Errors
//
// Errors of the function are returned as they are: a *apierrors.StatusError for an
// answer other than 200, the error of the connection for no answer. An error that the
// function ignores is still returned, because an empty list would empty the store.
package tunnel
