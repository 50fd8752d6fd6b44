//go:build !race

package store_test

// manyEvents are what a subscriber that never reads must bear.
const manyEvents = 1_000_000

// manyChanges pass a subscriber that never reads.
const manyChanges = 200_000
