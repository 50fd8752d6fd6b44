// Package delivery stores the messages that must be sent, and their receivers, in the
// database.
//
// # Data flow
//
//	planner: Create, AppendDigest, HoldBack, Postpone, CloseDigests, Supersede   in the transaction that moves the cursor of the feed
//	  | row of deliveries: Held -> Behind -> Waiting
//	worker:  Claim -> Sending (committed) -> the channel -> Finish -> Sent, Dead, or Waiting again
//	people:  List, Show, Replay, Recover, Drop, Ack, AddMute, AddSilence, ExpireSilence, Subscribe
//
// A lane is the order of the messages about one object for one receiver. Its first unsent
// delivery is the front, and is Waiting or Sending. The others are Behind. When the front
// ends, the next one becomes the front. Claim reads only fronts, so a lane that backs off
// costs nothing.
//
// # Ownership
//
// The package contains all SQL of its tables. It has no goroutines and no state in memory.
// Any goroutine may call any function. The functions that take a transaction belong to the
// planner.
//
// # Guarantees
//
// A key is stored once, so no message has two deliveries and none is sent with two keys. A
// claim is committed before Claim returns, and at most one claim of a delivery is valid.
// Finish ignores all others. If a claim is not finished before its lease ends, it is taken
// back, and the delivery is sent again with the same key.
//
// The claims of a channel are serialized, also on a cluster of databases, because each
// writes the row of its channel. The rate limit of a channel and its pauses therefore
// apply to all replicas together.
//
// # Limits
//
// A lane has one unsent front, so a receiver gets the messages about one object one at a
// time. A claim takes a limited number of deliveries. Texts of people and channels are
// truncated to lengths that every database stores; keys, addresses and events are not.
//
// # Errors
//
// Those of the database; every call may be repeated. ErrUnknown and ErrCode are mistakes
// of people. No error contains an event, an address or a code.
package delivery
