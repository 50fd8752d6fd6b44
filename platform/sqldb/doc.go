// Package sqldb connects to the database of the history: SQLite, PostgreSQL, MySQL,
// MariaDB, or another database with a Driver.
//
// # Data flow
//
//	URL -> Driver.Address -> DB -> Transact -> Tx -> rows
//	                         DB -> Query -> rows
//
// A Driver describes the SQL of its database as data, in a Dialect. Its methods cover
// everything that needs code: addresses, bulk inserts and updates, locks, sizes and errors.
// No other code depends on the kind of a database.
//
// # Ownership
//
// A DB is safe for concurrent use; its opener closes it. A Tx is valid during the function
// that Transact calls. A row is valid during the callback of Query.
//
// # Guarantees
//
// A transaction commits completely or not at all, and a committed transaction survives a
// crash of the machine. Only one process at a time migrates a database or holds a lock of
// TryLock. If a process vanishes within a transaction, the server ends the transaction
// after IdleTransactionTimeout. No statement waits longer than LockTimeout for a row that
// another transaction has locked in a server. Inspect changes nothing.
//
// # Limits
//
// Connecting takes at most ConnectTimeout. A pool has at most 16 connections to a server or
// 8 to a file, and keeps up to 4 of them while idle. The values of one statement are at
// most 2 MiB, or one row.
//
// # Errors
//
// An Error has the URL of the database without its password, the problem, and the remedy.
// Rejects distinguishes errors caused by the data of a statement from errors of the
// database.
package sqldb
