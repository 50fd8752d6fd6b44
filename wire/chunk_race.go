//go:build race

package wire

// poison makes released memory unusable, in tests with the race detector.
const poison = true
