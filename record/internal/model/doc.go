// Package model holds the tables of the recorder's database: their rows, their SQL, and
// the encodings of what they store.
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
// Rows and slices belong to the caller. An Encoder belongs to one goroutine. All other
// types are values without synchronization.
//
// # Guarantees
//
// Functions that write many rows write them in the order of the index, so two writers
// never wait for each other in a circle. Decoding a body verifies its hash.
//
// # Limits
//
// Columns take text of limited length. Callers shorten state words and reasons to
// MaxWord bytes and messages to MaxMessage bytes with Truncate.
//
// # Errors
//
// Errors of the database come back unchanged or wrapped, so sqldb.DB.Rejects and
// sqldb.DB.Explain recognize them. ErrNoBody reports a body that retention removed.
package model
