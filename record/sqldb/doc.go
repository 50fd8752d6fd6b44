// Package sqldb connects to the database of the history: SQLite, PostgreSQL, MySQL,
// MariaDB, or another one that has a Driver.
//
// # Data flow
//
//	URL -> Driver.Address -> DB -> Transact -> Tx -> rows
//	                         DB -> Query -> rows
//
// A Driver describes the SQL of its database as data, in a Dialect. Its methods do what
// needs more than other words: addresses, bulk inserts and updates, locks, sizes and
// errors. No other code depends on the kind of a database.
//
// # Ownership
//
// Any goroutine may use a DB; whoever opened it closes it. A Tx belongs to the function
// that Transact calls. A row belongs to the callback of Query until the callback returns.
//
// # Guarantees
//
// A transaction commits completely or not at all, and survives a crash of the machine
// after its commit. One process at a time migrates a database, and one holds a lock of
// TryLock. If a process vanishes within a transaction, the server ends the transaction
// after IdleTransactionTimeout. Inspect changes nothing.
//
// # Limits
//
// A connection takes at most ConnectTimeout. There are at most 16 connections to a server
// and 8 to a file, and 4 of them stay open while idle. The values of one statement are at
// most 2 MiB, or one row.
//
// # Errors
//
// An Error names the database without its password, says what is wrong, and what to do.
// Rejects tells errors about the data of a statement from those about the database.
package sqldb
