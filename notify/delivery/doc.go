// Package delivery keeps in the database which messages must be sent, and to whom.
//
// # Data flow
//
//	planner: Create, AppendDigest, CloseDigests, Supersede   in the transaction that moves the cursor of the feed
//	  | row of deliveries: Held -> Behind -> Waiting
//	worker:  Claim -> Sending (committed) -> the channel -> Finish -> Sent, Dead, or Waiting again
//	people:  List, Show, Replay, Recover, Drop, Ack, AddMute, Subscribe
//
// A lane is the order of the messages about one object for one receiver. Its first unsent
// delivery is the front, and is Waiting or Sending. The others are Behind. When the front
// ends, the next one becomes the front. So Claim reads only fronts, and a lane that backs
// off costs nothing.
//
// # Ownership
//
// The package has all SQL of its tables. It has no goroutines and keeps nothing in memory.
// Any goroutine may call any function. The functions that take a transaction belong to the
// planner.
//
// # Guarantees
//
// A key is stored once, so no message has two deliveries and none goes out under two keys.
// A claim is committed before Claim returns, and at most one claim of a delivery is valid.
// Finish has no effect for any other. A claim that is not finished before its lease ends
// is taken back, and the delivery is sent again with the same key.
//
// The claims of a channel happen one after another, also on a cluster of databases: each
// writes the row of its channel. So the rate of a channel holds for all replicas together.
// Its pauses do as well.
//
// # Limits
//
// A lane has one unsent front, so a receiver gets the messages about one object one by
// one. A claim takes a limited number of deliveries. Texts of people and channels are cut
// to what every database stores; keys, addresses and events are not.
//
// # Errors
//
// Those of the database; every call may be repeated. ErrUnknown and ErrCode are the
// mistakes of people. No error contains an event, an address or a code.
package delivery
