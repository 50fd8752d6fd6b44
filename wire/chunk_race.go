//go:build race

package wire

// poison overwrites memory that was given back, in tests.
const poison = true
