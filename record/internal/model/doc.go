// Package model holds the tables of the recorder's database: their rows and their SQL.
//
// # Data flow
//
//	row structs -> statements of one table -> sqldb.Tx
//	sqldb.Querier -> statements of one table -> row structs
//
// All SQL of a table is in the file with the name of the table. The recorder, package
// retention and package history call the functions here and hold no SQL. A function for
// writing takes a sqldb.Tx, so the caller decides what forms one transaction.
//
// Rows hold times as the database does: microseconds since 1970, where 0 means none.
// Micros and Time convert them.
//
// # Ownership
//
// Rows and slices belong to the caller. All types are values without synchronization.
//
// # Guarantees
//
// InsertIndexEntries sorts its rows. Other functions write rows in the order of the caller.
// Callers sort objects by UID to lock them and by number to update them, so two writers
// never wait for each other in a circle.
//
// The rows of a recorder keep these relations: objects.version is the version of the last
// stored revision of an object, and that row exists; objects.state and objects.since are
// those of its last transition; objects.base is the version of its last keyframe; a
// transition has the version of the revision that showed it.
//
// # Limits
//
// Columns take text of limited length. Callers shorten state words and reasons to
// MaxWord bytes and messages to MaxMessage bytes with Truncate.
//
// # Errors
//
// Errors of the database come back unchanged or wrapped, so sqldb.DB.Rejects and
// sqldb.DB.Explain recognize them. A function that reads one row returns sql.ErrNoRows if
// there is none, unless it says otherwise.
package model
