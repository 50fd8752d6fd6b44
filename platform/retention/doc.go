// Package retention removes history that is no longer needed: by age, by the state of
// objects and by the size of the database.
//
// # Data flow
//
//	Policy -> candidates (old revisions) -> decision for each -> plan -> one transaction that deletes
//
// Prune reads the revisions in the order in which they were stored, oldest first. It
// takes them in small steps. Each step locks the objects of its revisions, decides
// whether to keep, strip or delete each revision, and deletes in one transaction. Before
// that it expires idle cursors of the feed, and shortens the feed. At the end Prune joins
// intervals of coverage and returns free space to the system.
//
// # Ownership
//
// All functions of this package are safe for concurrent use. Of several processes that prune
// a database at the same time, one does the work.
//
// # Guarantees
//
//  1. The current state of an object always stays, and so do the last revision of an
//     object that is not deleted and the transition to its current state.
//  2. Resume points and open gaps stay.
//  3. A keyframe stays while a difference refers to it, and while the next revision of its
//     object may become a difference from it.
//  4. Transitions, objects and positions of the feed stay until all live cursors of the feed
//     have read them. Idle cursors expire.
//  5. Every step leaves the history consistent. An interrupted Prune loses no work.
//
// # Limits
//
// A step aims at 50 ms, and the pause after it takes three times as long, so writers have
// at least three quarters of the time. On PostgreSQL and MariaDB the size of the history
// is an estimate from statistics.
//
// # Errors
//
// Prune checks the Policy before it deletes anything. Errors of the database are wrapped,
// with the URL of the database.
package retention
