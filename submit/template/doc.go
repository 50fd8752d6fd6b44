// Package template renders jobs from templates with parameters, defaults and checks.
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
package template
