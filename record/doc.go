// Package record writes every revision of the objects of a cluster, and every change
// of their state, into SQL: SQLite, PostgreSQL, MySQL or MariaDB.
//
// # Data flow
//
//	reflector -> what is seen in each delta -> delta.QueueOf -> one transaction for a batch -> Database
//
// States and bodies are made by the goroutine that reads the server, while another
// writes what came before. There is no store in between: a recorder remembers the key,
// UID and version of each object that is there. The rest is in the database, which also
// decides what is new.
//
// # Ownership
//
// A Database may be used by any goroutine. A Recorder is run once, by Run, which
// blocks and joins what it starts.
//
// # Guarantees
//
//  1. A revision that was observed is a row, once: of (cluster, type, UID,
//     resourceVersion), whoever else records the same.
//  2. Revisions, transitions, current state and the version to resume from are
//     written in one transaction.
//  3. A recorder that starts resumes where one has ended. If the server has forgotten
//     what came after, it lists, writes what is different and what is gone, and notes
//     the gap.
//  4. The current state of an object moves forward only. A revision that comes late is
//     filled in, and the transitions beside it are made to fit.
//  5. While the database is away nothing is dropped: the queue fills, and then the
//     server is read no further.
//
// # Limits
//
// Data of Secrets is never kept. Messages of more than 4 KiB are cut in columns, not in
// bodies. For each object that is there some 200 bytes of memory are taken, and for
// each target up to 16 MiB for bodies, packed, that the next are compared with, and what
// is on its way: the queue, and what is being written, up to 4 MiB of bodies each.
//
// # Errors
//
// Open, Migrate and New say what is wrong, without passwords. Run returns what failed
// at its start; later, the database is tried again for ever, and the log says so.
package record
