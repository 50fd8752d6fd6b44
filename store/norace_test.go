//go:build !race

package store_test

// manyEvents is the number of events that a subscriber does not read.
const manyEvents, fullEvents = 1_000_000, 1_000_000

// manyChanges is the number of changes that a subscriber does not read.
const manyChanges = 200_000
