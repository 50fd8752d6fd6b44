// Package logkeeper fetches the ends of the logs of containers and keeps them.
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
package logkeeper
