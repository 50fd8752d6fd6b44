// Package feed reads the transitions of a database in the order of their commits, with
// durable named cursors.
//
// # Data flow
//
//	recorder: transition and outbox entry, in one transaction
//	  -> sequencer: outbox -> positions, in one short transaction
//	  -> Read(position), or Consume(name): cursor and the consumer's own writes, in one transaction
//
// A row gets its ID before its transaction commits. A reader that remembers the last ID
// would miss rows that commit later with smaller IDs. Therefore recorders write an entry to
// the outbox, and a sequencer assigns positions to the entries that it can read, which are
// committed. An entry stays in the outbox until it has a position, however late it commits.
// All recorders and readers act as sequencers; an update of one row, the head of the feed,
// ensures that only one of them succeeds. Decision 27 has the reasons.
//
// # Ownership
//
// All functions of this package are safe for concurrent use. The caller owns a Transition,
// except its labels, which the transitions of one object share. The goroutine that runs a
// Consumer calls its functions, one at a time.
//
// # Guarantees
//
//  1. Each transition that a recorder of this version commits gets one position, and each
//     position has one transition. Positions have no gaps.
//  2. New transitions of an object are in the order of their versions. Commits
//     before a call of Read or Head have smaller positions than those after it.
//  3. A consumer handles every transition at least once. Its writes in the transaction
//     of Handle commit with the cursor: exactly once, also with several replicas, and
//     if a process is killed.
//  4. Late and corrected transitions are marked. A transition never appears a second time as
//     New.
//  5. Retention removes no transition that a live cursor has not read.
//  6. Partitions divide the objects of a feed among replicas. The transitions of an object
//     are in one partition. Divide keeps read transitions read, and unread ones unread.
//
// # Limits
//
// A transition is one entry of four integers. A consumer polls every 40 ms and reads 500
// transitions at once. A Tail assigns positions to transitions of a crashed recorder after
// half a second. A cursor has at most MaxPartitions partitions, and each reads the positions
// of all of them, so a division shares the work of the consumer and not that of the feed.
// While another transaction is open for a long time, such as
// a backup, servers keep deleted entries of the outbox, and each poll takes longer.
//
// # Errors
//
// ErrExpired, ErrAhead and ErrNoCursor mean that a position or a cursor is unusable. A
// Consumer logs all other errors, and retries.
package feed
