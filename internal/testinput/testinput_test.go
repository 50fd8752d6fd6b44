package testinput

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestUncached: the go command considers the file that Uncached opens too new.
func TestUncached(t *testing.T) {
	Uncached(t)
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(root, marker))
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(info.ModTime()); age > 0 {
		t.Errorf("the marker is %v old", age)
	}
}

// TestRand: equal seeds have equal numbers, and the seed comes from the environment.
func TestRand(t *testing.T) {
	t.Setenv(SeedVariable, "7")
	first, second := Rand(t).Uint64(), Rand(t).Uint64()
	if first != second {
		t.Errorf("two sources of one test return %d and %d", first, second)
	}
	t.Setenv(SeedVariable, "8")
	if third := Rand(t).Uint64(); third == first {
		t.Errorf("the seed makes no difference: %d", third)
	}
}

// TestCheck: the inputs of a property are the same in each run.
func TestCheck(t *testing.T) {
	var runs [2][]int
	for i := range runs {
		Check(t, func(rt *rapid.T) { runs[i] = append(runs[i], rapid.Int().Draw(rt, "n")) })
	}
	if len(runs[0]) == 0 || runs[0][0] != runs[1][0] || runs[0][len(runs[0])-1] != runs[1][len(runs[1])-1] {
		t.Errorf("two runs of one property have other inputs: %v and %v", runs[0], runs[1])
	}
	if seed := flag.Lookup("rapid.seed").Value.String(); seed == "0" {
		t.Error("rapid chooses its seed by chance")
	}
}

// TestSize: the environment selects the size.
func TestSize(t *testing.T) {
	t.Setenv(SizeVariable, "")
	if got := Size(t, 3, 7); got != 3 {
		t.Errorf("the size is %d without the variable, want 3", got)
	}
	t.Setenv(SizeVariable, "full")
	if got := Size(t, 3, 7); got != 7 {
		t.Errorf("the full size is %d, want 7", got)
	}
}
