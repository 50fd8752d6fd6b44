package clientgo

import "testing"

// TestBound: decoded objects take what packing saves, within bounds. If all are to be held,
// they take no more than in client-go.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		raw, held int64
		want, all int
	}{
		{0, 0, 0, 0},
		{512 << 10, 512 << 10, 16 << 10, 16 << 10},
		{8 << 20, 4 << 20, 4 << 20, 9 << 20},
		{8 << 20, 7 << 20, 1 << 20, 9 << 20},
		{8 << 20, 7<<20 + 1, 1<<20 - 1, 1<<20 - 1},
		{80 << 20, 8 << 20, mostRecentBytes, 90 << 20},
		{64 << 20, 64 << 20, 2 << 20, 2 << 20},
		{32 << 20, 40 << 20, 1 << 20, 1 << 20},
		{1 << 30, 1 << 30, mostRecentBytes, 32 << 20},
	} {
		const n = 2 * mostRecent
		if got := boundOf(n, c.raw, c.held, false); got != (bound{mostRecent, c.want}) {
			t.Errorf("%d bytes held in %d: %v, want %d", c.raw, c.held, got, c.want)
		}
		if got := boundOf(n, c.raw, c.held, true); got != (bound{n + n/8, c.all}) {
			t.Errorf("%d bytes held in %d: %v of all, want %d", c.raw, c.held, got, c.all)
		}
	}
}
