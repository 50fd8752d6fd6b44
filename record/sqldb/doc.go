// Package sqldb connects to the databases of the recorder: SQLite, PostgreSQL, MySQL and
// MariaDB.
//
// # Data flow
//
// URL -> Driver -> DB -> Tx.
//
// # Ownership
//
// Any goroutine may use a DB. A Tx belongs to the function that Transact calls.
//
// # Guarantees
//
// Migrations run under a lock of the database.
//
// # Limits
//
// A statement has at most 2 MiB.
//
// # Errors
//
// An Error names the database without its password, and says what to do.
package sqldb
