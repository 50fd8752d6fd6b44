// Package notify sends messages to people about the transitions of their jobs.
//
// # Data flow
//
//	platform/feed: transitions, with the cursor "notify"
//	  | prepare, outside of the transaction: rules and subscriptions match, receivers, facts; timers and escalations that are due
//	round: messages and timers
//	  | handle, in the transaction that moves the cursor: mutes, silences, digests, quiet hours
//	platform/notify/delivery: deliveries, items of digests, timers
//	  | Workers: claim -> compose -> channel -> finish
//	people
//
// Preview runs the same rules over the history and sends nothing.
//
// # Ownership
//
// A Notifier owns its goroutines and the channels that it has opened. The planner belongs
// to the goroutine of the consumer. A file of rules never changes; SetConfig replaces the
// pointer to it, and each batch and each message uses one file from beginning to end.
//
// # Guarantees
//
// A transition that a rule selects gives one delivery for each receiver, under a key that
// never changes. This holds after crashes, restarts and relists, and with any number of
// replicas, because deliveries commit together with the cursor. A corrected transition gives
// none, and the message about a late one says that it is late.
//
// A timer fires once each time its state is entered. Its row stays until the state is left,
// so neither a restart nor a changed rule repeats it.
//
// A message that a silence holds back is stored once as Silenced, and is in exactly one summary,
// which is sent at the end of the silence. An alert is not sent while no recorder confirms the
// state of its job.
//
// A collected message is in exactly one digest. A message is sent at least once, in the order
// of its object and receiver.
//
// # Limits
//
// A batch has 200 transitions. A second handles at most 500 timers and 200 escalations. A new
// timer rule reads 200 objects per second. A subscription takes effect within a second.
// After three failed attempts to read the facts, the message is sent without them, so that
// no object can block the others.
//
// A rule that is removed and added again unchanged misses the states that were entered in
// between. Lines of logs come from the logs that a recorder has kept. A message about a
// failure waits at most three seconds for them.
//
// # Errors
//
// Run ends with feed.ErrExpired or feed.ErrNoCursor, because transitions may be lost then.
// All other faults are logged once and retried: an unavailable database, a channel that
// cannot be opened, a condition that cannot be evaluated. Health lists them.
package notify
