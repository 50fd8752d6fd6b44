// Package notifymetrics exports the figures of notifications as a Prometheus collector.
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
package notifymetrics
