// Package contract holds the promises of client-go's informer and workqueue as a suite of
// 30 points, each a test of its own in fake time, against an API server in the process.
//
// Run runs the suite against an Engine. Differences lists where an engine of ours is
// better than client-go on purpose. Each difference is a test too: the suite checks both
// behaviors, so the list cannot become wrong unnoticed.
package contract
