// Package event writes messages as Kubernetes Events on their objects.
//
// # Data flow
//
// To be written with the package.
//
// # Ownership
//
// To be written with the package.
//
// # Guarantees
//
// To be written with the package.
//
// # Limits
//
// To be written with the package.
//
// # Errors
//
// To be written with the package.
package event
