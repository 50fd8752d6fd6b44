// Package stream sends the transitions of a history to message brokers as CloudEvents 1.0.
// The packages jetstream and kafka are the brokers.
//
// # Data flow
//
//	feed -> a batch of transitions -> events -> rounds with one event of each object -> Sink; then the cursor moves
//	history -> pages of transitions -> the same, for the past (Backfill)
//
// # Ownership
//
// One goroutine runs a Streamer; Stats is safe for concurrent use. The caller owns the
// database and the sink, and closes them after Run has returned.
//
// # Guarantees
//
//  1. The broker stores every transition at least once, across kills and outages: the cursor moves
//     after the broker has acknowledged the events.
//  2. An event has the same ID each time it is sent, from any process, also after a restore
//     of the database. Event.Unique also differs between clusters.
//  3. The first appearances of the events of an object are in the order of the feed, for any
//     fault of the broker.
//  4. Of several replicas one sends. Another one takes over at once when it stops, and after Config.Lease
//     when it hangs. A replica that wakes up after that moves no cursor.
//  5. A slow or dead broker delays only its own cursor. Faults are logged when they begin
//     and end.
//
// # Limits
//
// A batch has 500 transitions. An event has at most 256 KiB: above that, its labels go first, then
// its texts are shortened, and Data.Truncated names them. While a broker is away, retention keeps
// the transitions that the cursor has not passed, for at most retention.Policy.CursorIdle
// after the last sign of life of the streamer itself.
//
// # Errors
//
// Run tries again after each fault. It ends if the cursor has expired or was removed, because only
// an operator can decide whether to repeat or to skip: see feed.Reset and Backfill.
package stream
