// Package feed reads the transitions of a database in the order of their commits, with
// durable named cursors.
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
package feed
