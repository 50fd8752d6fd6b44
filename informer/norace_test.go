//go:build !race

package informer_test

// raceEnabled reports whether the race detector is on.
const raceEnabled = false
