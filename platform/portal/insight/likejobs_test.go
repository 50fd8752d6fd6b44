package insight_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/portal/insight/likely"
)

// begin is when tests begin.
var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// TestLike: sizes widen until enough jobs are like one.
func TestLike(t *testing.T) {
	var all []likely.Wait
	for i := range 100 {
		all = append(all, likely.Wait{GPUs: 1 << (i % 7), Began: begin, Left: begin.Add(time.Minute), Started: true})
	}
	for _, c := range []struct {
		gpus, jobs int
		what       string
	}{
		{32, 42, "Same queue and size: 16 to 64 GPUs in gpu-h100."},
		{1, 30, "Same queue and size: 1 to 2 GPUs in gpu-h100."},
		{500, 100, "Same queue, any size: gpu-h100."},
		{0, 100, "Same queue, any size: gpu-h100."},
		{-1, 100, "Same queue, any size: gpu-h100."},
	} {
		if jobs, what := insight.Like(all, c.gpus); jobs != c.jobs || what != c.what {
			t.Errorf("%d GPUs: got %d jobs, %s; want %d, %s", c.gpus, jobs, what, c.jobs, c.what)
		}
	}
}
