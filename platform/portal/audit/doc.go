// Package audit records the writes that people make through the portal, in the table portal_audit.
//
// # Data flow
//
//	person of the context, act, object -> Log.Begin -> row "attempt" -> the act -> Open.End -> result
//	List -> operations page
//	end of a session -> SignOuts -> other replicas of the portal
//
// # Ownership
//
// Any number of goroutines may use a Log. The caller closes the database. An Open belongs to
// the request that began it. The package starts no goroutines.
//
// # Guarantees
//
// No act happens without its row: if Begin cannot write the row, it fails, and the caller must
// stop. A crash between act and result leaves the result "attempt": the outcome is unknown. The
// result is written even if the client has disconnected. An ended session is a row too, from which
// other replicas learn within seconds that it has ended.
//
// # Limits
//
// Texts are truncated: details to 4,096 bytes, names to 300, words and addresses to 63. Rows are
// kept for 400 days by default; Run removes older ones. Refused and failed acts of a person have
// details of 256 bytes. Equal ones within an hour are one row with a count, and a person has at
// most 64 such rows for each act, result and hour.
//
// # Errors
//
// Those of package platform/sqldb.
package audit
