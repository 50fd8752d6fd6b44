// Package feed reads the transitions of a database in the order of their commits, with
// durable named cursors.
//
// # Data flow
//
//	recorder: transition and outbox entry, in one transaction
//	  -> sequencer: outbox -> positions, in one short transaction
//	  -> Read(position), or Consume(name): cursor and the consumer's own writes, in one transaction
//
// The number of a row is assigned before its transaction commits. A reader that remembers
// the last number that it saw loses rows that commit later with smaller numbers. So
// recorders leave an entry in the outbox, and a sequencer gives positions to entries that it
// sees, which are committed. An entry stays in the outbox until it has its position,
// however late it commits. Recorders and readers all are sequencers; an update of one row,
// the head of the feed, lets one of them win. Decision 27 has the reasons.
//
// # Ownership
//
// Any goroutine may call the functions of this package. A Transition belongs to its
// receiver, except for the labels, which transitions of one object share. The functions of
// a Consumer are called by the goroutine that runs it, one at a time.
//
// # Guarantees
//
//  1. Each transition that a recorder of this version commits gets one position, and each
//     position has one transition. Positions have no gaps.
//  2. New transitions of an object are in the order of their versions. Commits
//     before a call of Read or Head have smaller positions than those after it.
//  3. A consumer handles every transition at least once. Its writes with the transaction
//     that it is given commit with the cursor: exactly once, also with several replicas,
//     and if a process is killed.
//  4. Late and corrected transitions are marked. A transition never comes a second time as
//     New.
//  5. Retention removes no transition that a live cursor has not read.
//
// # Limits
//
// A transition is one entry of four numbers. A consumer looks for transitions every 40 ms
// and reads 500 at once. A Tail numbers transitions of a recorder that has died after half a
// second. Transitions that a recorder of schema step 1 or 2 writes are in
// the history, and not in the feed. While a long transaction of somebody else is open, such
// as a backup, servers keep deleted entries of the outbox, and each look takes longer.
//
// # Errors
//
// ErrExpired, ErrAhead and ErrNoCursor say that a position or a cursor cannot be used.
// A Consumer logs all other errors, and tries again.
package feed
