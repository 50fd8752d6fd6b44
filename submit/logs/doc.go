// Package logs reads the logs of a job: all pods and attempts, live and kept.
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
package logs
