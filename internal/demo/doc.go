// Package demo simulates training jobs in an API server inside the process, and watches, records and
// notifies about them.
package demo
