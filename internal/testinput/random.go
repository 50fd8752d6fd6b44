package testinput

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Variables of the environment. The go command records them, unlike flags of tests, which
// switch its cache off.
const (
	// SeedVariable has the seed of all random inputs. The default is 1, so that equal code
	// has equal results; the nightly run tries others.
	SeedVariable = "VEDETTE_SEED"
	// CasesVariable has the number of random cases of each property. Without it, each
	// property has a default.
	CasesVariable = "VEDETTE_CASES"
	// SizeVariable selects the size of tests: "full" is that of the nightly run.
	SizeVariable = "VEDETTE_SIZE"
)

// Seed returns the seed of all random inputs.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	text := os.Getenv(SeedVariable)
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 {
		tb.Fatalf("%s=%s is not a positive integer", SeedVariable, text)
	}
	return seed
}

// Cases returns the number of random cases to try: the value of VEDETTE_CASES, or usual.
func Cases(tb testing.TB, usual int) int {
	tb.Helper()
	text := os.Getenv(CasesVariable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		tb.Fatalf("%s=%s is not a positive integer", CasesVariable, text)
	}
	return n
}

// Size returns the size of a test: small, or full with VEDETTE_SIZE=full. A test whose full
// size takes too long for the gate has two.
func Size(tb testing.TB, small, full int) int {
	tb.Helper()
	switch size := os.Getenv(SizeVariable); size {
	case "":
		return small
	case "full":
		return full
	default:
		tb.Fatalf("%s=%s is not a size; full is one", SizeVariable, size)
		return small
	}
}

// Rand returns a source of random numbers that depends on the seed and on the name of the
// test. A failed test prints the seed. The source is for one goroutine.
func Rand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := Seed(tb)
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the random inputs came from %s=%d", SeedVariable, seed)
		}
	})
	name := fnv.New64a()
	name.Write([]byte(tb.Name()))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}

// rapidFlags guards the flags of rapid, which are global.
var rapidFlags sync.Once

// Check is [rapid.Check] with the seed and, if VEDETTE_CASES is set, the number of cases of
// the environment. Flags of the command line have precedence. In a bubble of
// testing/synctest, where rapid must not ask a *testing.T for its deadline, pass
// struct{ testing.TB }{t}.
func Check(tb testing.TB, property func(*rapid.T)) {
	tb.Helper()
	rapidFlags.Do(func() { configure(tb) })
	rapid.Check(tb, property)
}

func configure(tb testing.TB) {
	tb.Helper()
	values := map[string]string{"rapid.seed": strconv.FormatUint(Seed(tb), 10)}
	if n := Cases(tb, 0); n > 0 {
		values["rapid.checks"] = strconv.Itoa(n)
	}
	flag.Visit(func(f *flag.Flag) { delete(values, f.Name) })
	for name, value := range values {
		if err := flag.Set(name, value); err != nil {
			tb.Fatal(err)
		}
	}
}
