// Package reflector follows one scope of an API server: it lists, watches, and passes the
// results on as deltas. It handles all known faults of servers, proxies and networks.
//
// # Data flow
//
//	Source.List, Source.Watch -> wire readers -> machine -> delta.Delta -> Sink.Put
//
// The protocol is a pure state machine: an input (an answer, a record, an event, a
// fault) yields the next action and at most one delta. The driver around it performs
// the actions; it has the clock, the sockets and the only loop. docs/protocol.md draws
// the states.
//
// # Ownership
//
// Run blocks on the caller's goroutine and starts no goroutine that outlives it. Health
// may be called from any goroutine. A Source must be safe for use by one goroutine at a
// time.
//
// # Guarantees
//
// The sink gets Begin, the objects of a list, End, and then every event of the watch
// from exactly the version where the list ended, in the order of the server. The
// reflector relists if the server no longer has the version (410, or a version that is
// too large for the server), or if the type was not served for a time (404). It also
// relists if the ladder of means has shown that resuming does not help. After every
// other fault it resumes the watch from the last version. Only progress (the
// version has advanced, a list is complete, a watch has lasted) ends a fault in the
// data and resets the backoff, so no answer of a server causes a hot loop. If the
// server does not order its versions (Health.Order), the reflector resumes from no
// version and relists after each watch. It counts and reports an unusable event, and
// continues the watch. In a list, an unusable object fails the list: leaving the object
// out would look like its deletion.
//
// A fault that lasts is answered by other means: a list by a stream, in pages or in one
// page, a watch by a short one or by lists. docs/protocol.md has the table, with the time
// within which the state is correct again if one means works. Silence is not taken for
// health: a watch that brings nothing for three to four minutes is checked.
//
// # Limits
//
// The reflector buffers only one record. Pages have Config.PageSize objects. A retry
// waits at most Config.MaxBackoff, whatever the server requests (Config.SlowRetry after
// 401, 403 and 404), plus up to half of that at random. It comes early if a Source that
// is a [Recoverer] reports that another request to the server has recovered.
// Config.IdleTimeout bounds silence.
//
// # Errors
//
// Run returns nil when its context is done. It returns an error only if the sink rejects
// a delta, if the Source returns [ErrSourceEnded], or if [NeverList] or
// [EndIfRestored] forbids a list that is needed. Health then shows [Stopped] with that error. Server faults appear in
// [Health] too, with the error that the Source returned, and end no run.
package reflector
