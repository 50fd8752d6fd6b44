//go:build race

package store_test

// manyEvents is lower with the race detector, which makes events forty times as slow.
// `make models` runs the number of tests without the race detector.
const manyEvents, fullEvents = 30_000, 50_000

// manyChanges is lower for the same reason.
const manyChanges = 20_000
