//go:build race

package store_test

// manyEvents are fewer with the race detector, which makes them forty times as
// slow; `make model` runs them all.
const manyEvents = 50_000

// manyChanges are fewer for the same reason.
const manyChanges = 20_000
