// Package jobspec reads what a job asks for from its fields: GPUs, nodes, deadline.
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
package jobspec
