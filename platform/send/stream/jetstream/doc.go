// Package jetstream stores transitions in a stream of NATS JetStream.
//
// # Data flow
//
//	stream.Event -> message with subject, CloudEvents headers and Nats-Msg-Id -> stream -> acknowledgment
//
// The subject of an event is PREFIX.CLUSTER.NAMESPACE.TYPE.STATE, such as
// vedette.prod.team-a.jobs_batch.Failed, so consumers select by subject. The attributes are
// in headers with the prefix "ce-", as in the NATS binding of CloudEvents.
//
// # Ownership
//
// One goroutine calls Send. The sink owns its connection; Close ends it.
//
// # Guarantees
//
//  1. Send returns nil after the stream has acknowledged each event.
//  2. A repeated event has the same Nats-Msg-Id. A stream that the sink created drops
//     repetitions for ten minutes, in which a replica takes over.
//  3. The sink never changes an existing stream.
//  4. The sink connects again after each outage, to any of the servers. No error contains
//     the login.
//
// # Limits
//
// A stream that the sink creates keeps events for 7 days and 10 GiB, whichever ends first, and then
// removes the oldest. Config changes both. 1,000 events are in flight.
//
// # Errors
//
// Every error is temporary: the caller sends the events again. An error that an operator can act on
// has a remedy.
package jetstream
