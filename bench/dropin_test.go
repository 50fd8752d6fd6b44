package main

import (
	"testing"

	"github.com/vedette-io/vedette/bench/dropin"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestDropIn fails if a small program takes more heap with the drop-in than with client-go,
// beyond the fixed cost of ten informers and of the plans to decode ten types. From 200
// objects of each type on, there is no such allowance. The heap after a collection depends
// little on scheduling, so medians of a few runs are compared.
func TestDropIn(t *testing.T) {
	testinput.Uncached(t)
	const fixed = 320 << 10
	for _, c := range []struct {
		n         int
		use       dropin.Use
		allowance uint64
	}{
		{0, dropin.Idle, fixed},
		{20, dropin.Read, fixed},
		{20, dropin.Idle, 0},
		{200, dropin.Idle, 0},
		{200, dropin.Ignore, 0},
		{200, dropin.Read, 0},
		{200, dropin.List, 0},
	} {
		stock, dropIn, err := dropin.Median(t.Context(), dropin.Program{N: c.n, Use: c.use}, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range stock {
			d := dropIn[i]
			t.Logf("%d objects, %s, %s: heap %d KB, client-go %d KB; RSS %d and %d KB", c.n, c.use, s.Stage, d.Heap>>10, s.Heap>>10, d.RSS>>10, s.RSS>>10)
			if d.Heap > s.Heap+c.allowance {
				t.Errorf("%d objects, %s, %s: the heap has %d KB, with client-go %d KB", c.n, c.use, s.Stage, d.Heap>>10, s.Heap>>10)
			}
		}
	}
}
