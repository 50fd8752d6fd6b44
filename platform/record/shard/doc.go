// Package shard divides the recorded objects among recorders with the same database. Each
// shard, which is one target of one cluster, has a number of holders that record it. The
// other members of the group do not watch it.
//
// # Data flow
//
//	Offer -> row of the offer -> Plan, computed by each member from the same rows -> claims and releases of the member itself
//	Lease -> Fence in each transaction that writes
//
// # Ownership
//
// A Coordinator belongs to one process and serves all its recorders. Run joins all its
// goroutines. Offer, Lease and Stats are safe for concurrent use.
//
// # Guarantees
//
//  1. A member that was removed writes nothing: each transaction updates a row that the
//     removal deletes, so one of the two fails on any database.
//  2. A shard has Config.Replicas holders within Config.Lease and two intervals after a member
//     failed, if enough members offer it. A move never reduces the number of holders
//     that have caught up below Config.Replicas.
//  3. No clock is compared with another one. A member is dead if its beat stood still for
//     Config.Lease, while observers could read the database. Observers one after another
//     measure parts of this time with their own clocks, and the database has the sum. A
//     process also knows that a member with its name is dead if it has the lock on the name
//     that the member held.
//  4. An offer is recorded elsewhere only if this process has seen a sign of life of a holder
//     within a lease.
//  5. While the database is unreachable, all members keep what they hold, and nobody counts as dead.
//
// # Limits
//
// Names of members are unique. A member reads one row and the rows of all members in each
// interval, which is a fifth of the lease, and the rows that have changed.
//
// # Errors
//
// Run tries again after faults of the database, and logs them when they begin and end.
package shard
