// Package events publishes Events about objects, which `kubectl describe` and `kubectl
// events` show. Events are for people: they are not reliable and not complete.
//
// # Data flow
//
//	Publisher.Normal, Warning -> identity -> a new Event, or one more in its series
//	Publisher.Run -> events.k8s.io: create, then patches of the series
//
// # Ownership
//
// Run blocks on the caller's goroutine, sends the Events one after another, and starts no
// other goroutine. Normal and Warning may be called from any goroutine, before, during and
// after Run. They never block and never send.
//
// # Guarantees
//
// Events that have everything in common except the note are one Event with a series
// (KEP-383): its count and its last time. A series ends when nothing was added for 6
// minutes. Its second occurrence is sent at once, and later ones once a minute.
//
// An Event is sent again after a failure, until a minute has passed since the first one. An Event whose object
// is gone, or that the server rejects, is dropped. When the context of Run ends, Run sends
// what is left, for at most 5 seconds.
//
// # Limits
//
// Each object may have 25 different Events at once, and one more every 5 minutes, as with
// client-go; a program sends 20 requests a second. At most 4,096 series are remembered, and
// Stats counts what is dropped. A note has at most 1,000 bytes; it is cut at a character.
//
// # Errors
//
// New returns an invalid configuration. Faults of the server, and Events that wait for a
// Run that is not running, go to the log, once with a remedy, and to Stats.
package events
