package retention_test

import (
	"flag"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/wire"
)

var revisionsFlag = flag.Int("revisions", 2_000, "number of revisions in TestPruneRate, which logs how many of them a second retention removes")

// TestPruneRate: retention removes a whole history, at a rate that it logs, with its pauses.
// Decision 40 has the rates.
func TestPruneRate(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		const revisions = 20
		began := time.Now()
		const part = 500
		for from := 0; from < *revisionsFlag; from += part * revisions {
			d.write(lives(min(part, (*revisionsFlag-from)/revisions), revisions, wire.Version(from+1)))
		}
		wrote := time.Since(began)
		began = time.Now()
		done, err := retention.Prune(t.Context(), d.DB, retention.Policy{Keep: time.Hour})
		took := time.Since(began)
		if err != nil || done.Revisions != *revisionsFlag {
			t.Fatalf("got %v and error %v, want %d revisions", done, err, *revisionsFlag)
		}
		rate := func(took time.Duration) float64 { return float64(*revisionsFlag) / took.Seconds() }
		t.Logf("wrote %.0f revisions a second; removed %.0f a second, with %d transitions and %d objects, in %v", rate(wrote), rate(took), done.Transitions, done.Objects, took.Round(time.Millisecond))
	})
}
