// Package reflector follows one collection of an API server: it lists, watches,
// and hands on what it sees as deltas, through every fault that a server, a
// proxy or a network has been seen to produce.
//
// # Data flow
//
//	Source.List, Source.Watch -> wire readers -> machine -> delta.Delta -> Sink.Put
//
// The protocol is a pure machine: an input (an answer, a record, an event, a
// fault) gives the next action and at most one delta. The driver around it does
// the actions; it has the clock, the sockets and the only loop. docs/protocol.md
// draws the states.
//
// # Ownership
//
// Run blocks on the caller's goroutine and starts no other that outlives it.
// Health may be called from any goroutine. A Source must be safe for use by
// one goroutine at a time.
//
// # Guarantees
//
// The sink sees Begin, the objects of a list, End, then every event of the
// watch from exactly the version where the list ended, in the order of the
// server. A relist happens only where the version is really gone (410, or a
// version too large for the server) or where the whole collection was (404);
// every other fault resumes the watch from the last version. Only progress (the
// version has advanced, a list is complete, a watch has lasted) ends a fault of what
// was read before and makes waits short again, so no answer of a server makes a hot
// loop. Where the server does not order its versions (Health.Order), no version is
// resumed: everything is listed after each watch. An event that can
// not be used is counted and reported, and the watch goes on. In a list such an
// object fails the list: leaving it out would look like its deletion.
//
// # Limits
//
// Nothing is buffered here but one record. Pages have Config.PageSize objects;
// retries wait at most Config.MaxBackoff, whatever the server asks for
// (Config.SlowRetry after 401, 403 and 404), with up to half of it added at
// random; they are made early where a Source that is a [Recoverer] says that
// something else of the server has recovered; silence is bounded by Config.IdleTimeout.
//
// # Errors
//
// Run returns nil when its context is done, and an error only if the sink
// refuses a delta. Faults of the server reach [Health], with the error as the
// Source returned it.
package reflector
