// Package shoutrrr sends messages to further services, each named by a URL.
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
package shoutrrr
