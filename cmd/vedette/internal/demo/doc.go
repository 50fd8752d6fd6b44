// Package demo watches, records and shows simulated training jobs in one process, and notifies about
// them.
package demo
