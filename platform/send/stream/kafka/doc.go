// Package kafka stores transitions in a topic of Kafka.
//
// # Data flow
//
//	stream.Event -> record with key and CloudEvents headers -> idempotent producer -> topic
//
// The key of a record is the UID of the object, and the partitioner is that of the Java
// client, so all events of an object are in one partition. In binary mode the attributes are
// headers with the prefix "ce_", as in the Kafka binding of CloudEvents; the time of a
// record is the time of the transition.
//
// # Ownership
//
// One goroutine calls Send. The sink owns its client; Close ends it.
//
// # Guarantees
//
//  1. Send returns nil after all in-sync replicas have stored each event.
//  2. The producer is idempotent, so an attempt that the client repeats stores nothing
//     twice. A batch that is sent again after an error, or by another replica, may repeat events
//     with the same ID.
//  3. With Config.Transactions, a consumer that reads committed messages sees no event of a failed
//     attempt, and a replica that was replaced cannot send.
//  4. The sink never changes an existing topic. No error contains the login.
//
// # Limits
//
// A batch has at most 512 KiB, and the topic must allow messages of this size. An event that is
// not stored within 20 seconds is an error.
//
// # Errors
//
// Every error is temporary: the caller sends the events again, on a new connection. An error that an
// operator can act on has a remedy.
package kafka
