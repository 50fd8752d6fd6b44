// Package contract tests the contract of client-go's informer and workqueue: a suite of
// 30 points, each a test of its own in fake time, with an API server in the process.
//
// Run runs the suite with an Engine. Differences lists deliberate improvements of our
// engine over client-go. The suite tests both behaviors of each difference, so the list
// stays correct.
package contract
