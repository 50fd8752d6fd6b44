package buckets

import "testing"

var bounds = []int{1, 10, 100}

// TestOf: a bound belongs to its own bucket.
func TestOf(t *testing.T) {
	for value, want := range map[int]int{-5: 0, 0: 0, 1: 0, 2: 1, 10: 1, 11: 2, 100: 2, 101: 3} {
		if got := Of(bounds, value); got != want {
			t.Errorf("Of(%d) = %d, want %d", value, got, want)
		}
	}
}

// TestQuantile: a quantile is the bound of its bucket, and at most the last bound.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		counts []uint64
		q      float64
		want   int
	}{
		{[]uint64{0, 0, 0, 0}, 0.5, 0},
		{[]uint64{1, 0, 0, 0}, 0.5, 1},
		{[]uint64{5, 5, 0, 0}, 0.5, 1},
		{[]uint64{5, 5, 0, 0}, 0.51, 10},
		{[]uint64{1, 1, 1, 1}, 1, 100},
		{[]uint64{0, 0, 0, 9}, 0.01, 100},
	} {
		if got := Quantile(bounds, c.counts, c.q); got != c.want {
			t.Errorf("Quantile(%v, %v) = %d, want %d", c.counts, c.q, got, c.want)
		}
	}
	if got := Count([]uint64{1, 2, 3}); got != 6 {
		t.Errorf("Count = %d, want 6", got)
	}
}
