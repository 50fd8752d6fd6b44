//go:build race

package store_test

// manyEvents is lower with the race detector, which makes events forty times as slow.
// `make models` runs the full number.
const manyEvents = 30_000

// manyChanges is lower for the same reason.
const manyChanges = 20_000
