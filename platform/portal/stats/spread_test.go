package stats

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestSpreadModel: percentiles equal those of the sorted durations.
func TestSpreadModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(0, 3000).Draw(t, "n"), rapid.SampledFrom([]int64{0, 3, 1000, 1 << 50}).Draw(t, "most")
		random := rapid.Uint64().Draw(t, "random")
		all := make([]time.Duration, n)
		for i := range all {
			random = random*6364136223846793005 + 1442695040888963407
			all[i] = time.Duration(int64(random>>11) % (most + 1))
		}
		switch rapid.SampledFrom([]string{"as drawn", "sorted", "reversed"}).Draw(t, "order") {
		case "sorted":
			slices.Sort(all)
		case "reversed":
			slices.Sort(all)
			slices.Reverse(all)
		}
		var want api.Spread
		if sorted := slices.Sorted(slices.Values(all)); n > 0 {
			at := func(share int) float64 { return sorted[(n*share+99)/100-1].Seconds() }
			want = api.Spread{Count: n, Median: ((sorted[(n-1)/2] + sorted[n/2]) / 2).Seconds(), P90: at(90), P99: at(99), Max: sorted[n-1].Seconds()}
		}
		if got := spreadOf(all); got != want {
			t.Errorf("%d durations: %+v, want %+v", n, got, want)
		}
	})
}
