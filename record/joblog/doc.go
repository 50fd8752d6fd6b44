// Package joblog keeps the ends of the logs of containers in the database.
//
// # Data flow
//
// To be written.
//
// # Ownership
//
// To be written.
//
// # Guarantees
//
// To be written.
//
// # Limits
//
// To be written.
//
// # Errors
//
// To be written.
package joblog
