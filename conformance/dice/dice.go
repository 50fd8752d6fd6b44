// Package dice has random numbers for tests whose goroutines share them, such as injected
// faults beside a load. They come from the seed of package testinput.
package dice

import (
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// Dice is a source of random numbers for any number of goroutines.
type Dice struct {
	mu     sync.Mutex
	random *rand.Rand
}

// New returns dice that depend on the seed and on the name of the test.
func New(t testing.TB) *Dice {
	t.Helper()
	return &Dice{random: testinput.Rand(t)}
}

// Of returns a source of random numbers for one goroutine of a test, which differs from the
// sources with other names.
func Of(t testing.TB, name string) *rand.Rand {
	t.Helper()
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return rand.New(rand.NewPCG(testinput.Rand(t).Uint64(), hash.Sum64()))
}

// IntN returns a number from 0 to n-1.
func (d *Dice) IntN(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.IntN(n)
}

// Int64N returns a number from 0 to n-1.
func (d *Dice) Int64N(n int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.Int64N(n)
}

// Uint64 returns any number.
func (d *Dice) Uint64() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.Uint64()
}

// Shuffle changes the order of n things.
func (d *Dice) Shuffle(n int, swap func(i, j int)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.random.Shuffle(n, swap)
}
