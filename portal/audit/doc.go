// Package audit keeps what people do through the portal, in the table portal_audit.
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
// No act is done without its row: Begin fails if the row cannot be written, and the caller
// stops then. A crash between act and result leaves "attempt", which says that the outcome is
// unknown. The result is written although the client has gone. An ended session is a row too, from
// which other replicas learn within seconds that it has ended.
//
// # Limits
//
// Texts are cut: details to 4,096 bytes, names to 300, words and addresses to 63. Rows are
// kept for 400 days by default. Begin removes at most 1,000 older ones, once an hour.
//
// # Errors
//
// Those of package record/sqldb.
package audit
