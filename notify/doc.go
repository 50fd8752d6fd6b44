// Package notify tells people about the transitions of their jobs.
//
// # Data flow
//
//	record/feed: transitions, with the cursor "notify"
//	  | prepare, outside of the transaction: rules and subscriptions match, receivers, facts; timers and escalations that are due
//	round: messages that are wanted, timers to set
//	  | handle, in the transaction that moves the cursor: mutes, digests, quiet hours
//	notify/delivery: deliveries, items of digests, timers
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
// A transition for which a rule calls gives one delivery for each receiver, under a key
// that never changes. It does so after crashes, restarts and relists, and with any number
// of replicas: deliveries commit together with the cursor. A corrected transition gives
// none, and a late one says that it is late.
//
// A timer fires once for each time that its state is entered. Its row stays until the state
// is left, so neither a restart nor a changed rule repeats it.
//
// Every message that goes into a digest is in exactly one. A message is sent at least once,
// in the order of its object and receiver.
//
// # Limits
//
// A batch has 200 transitions. A second handles at most 500 timers and 200 escalations. A new
// timer rule reads 200 objects per second. A subscription takes effect within a second.
// Facts that cannot be read three times are left out of the message, so that no object can
// hold up the others.
//
// A rule that is removed and comes back unchanged does not see the states that were entered
// in between. Lines of logs are those that a recorder has kept. A message about a failure
// waits three seconds for them at most.
//
// # Errors
//
// Run ends with feed.ErrExpired or feed.ErrNoCursor, because transitions may be lost then.
// All other faults are logged once and tried again: the database away, a channel that
// cannot be opened, a condition that cannot be evaluated. Health lists them.
package notify
