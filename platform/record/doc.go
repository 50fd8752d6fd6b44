// Package record writes every revision of the objects of a cluster, and every transition of
// their state, to a database: SQLite, PostgreSQL, MySQL or MariaDB. Package history reads
// them, and package retention removes them.
//
// # Data flow
//
//	reflector -> decoder -> queue -> planner -> writer -> one transaction for a batch
//	                           |                   ^
//	                           '----> spool -------'    while the database is unavailable
//
// The decoder turns deltas into observations on the goroutine that reads from the server.
// An observation has the state, the labels and the body that a revision stores; a projection
// selects them. The queue holds each delta together with its observation.
//
// The writer takes all waiting deltas as one batch. The planner compares the batch with the
// tracker, which holds the UID and the version of each object, and returns a plan: the
// observations to write, the deletions that a list implies, gaps, and the version reached.
// The transaction of a plan locks the rows of its objects in the order of their UIDs. It
// appends revisions and transitions, updates the objects, backfills late revisions, indexes
// the transitions, and extends coverage. The tracker changes after the commit.
//
// A monitor watches the health of each reflector. It logs faults, and begins a lasting gap
// when the server denies access or does not serve the type.
//
// # Ownership
//
// Recorder.Health is safe for concurrent use. Call Run once; it blocks, and waits for all
// goroutines that it starts. The caller owns the database.
//
// # Guarantees
//
//  1. Every observed revision is stored once for each (cluster, type, UID,
//     resourceVersion), no matter how many recorders write it.
//  2. One transaction writes revisions, transitions, the state of objects and the resume
//     point.
//  3. A restarted recorder continues at the resume point. If the server no longer has the
//     events after it, the recorder lists, writes the differences, and records a gap.
//  4. The state of an object only moves forward. A late revision is backfilled, and the
//     transitions next to it are corrected.
//  5. An outage of the database loses no delta. When the queue and the spill are full, the
//     recorder stops reading from the server.
//  6. A recorder never mixes two clusters. It verifies the identity of the cluster before
//     each request, and starts from scratch when the cluster was replaced.
//
// # Limits
//
// The data of Secrets is never stored. A column holds at most 4 KiB of a message; the body
// holds all of it. A recorder takes about 300 bytes of memory for each object that exists.
// For each target it takes up to 16 MiB for keyframes, up to 4 MiB for the queue, and up to
// 4 MiB for the batch that is being written.
//
// # Errors
//
// New returns configuration errors. Run returns an error only if the cluster or the
// database does not answer at the start. Later faults are logged and retried without a
// limit.
package record
