// Package model holds the tables of the recorder's database: their rows and their SQL.
//
// # Data flow
//
//	row structs -> statements of one table -> sqldb.Tx
//	sqldb.Querier -> statements of one table -> row structs
//
// All SQL of a table is in the file named after the table. The recorder, package retention
// and package history call these functions and contain no SQL. A function that writes takes
// a sqldb.Tx, so the caller decides the extent of a transaction.
//
// Rows hold times in the form of the database: microseconds since 1970, where 0 means
// unset. Micros and Time convert them.
//
// # Ownership
//
// The caller owns rows and slices. All types are values without synchronization.
//
// # Guarantees
//
// InsertIndexEntries sorts its rows. Other functions write rows in the order of the caller.
// Callers sort objects by UID to lock them and by row ID to update them, so two writers
// never deadlock.
//
// The rows of a recorder have these invariants: objects.version is the version of the last
// stored revision of an object, and that row exists; objects.state and objects.since are
// those of its last transition; objects.base is the version of its last keyframe; a
// transition has the version of the revision that showed it.
//
// # Limits
//
// Text columns have a maximum length. Callers shorten state words and reasons to MaxWord
// bytes and messages to MaxMessage bytes with Truncate.
//
// # Errors
//
// Errors of the database are returned unchanged or wrapped, so sqldb.DB.Rejects and
// sqldb.DB.Explain recognize them. A function that reads one row returns sql.ErrNoRows if
// the row does not exist, unless documented otherwise.
package model
