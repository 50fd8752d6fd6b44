package recordmetrics_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/vedette-io/vedette/platform/metrics/recordmetrics"
	"github.com/vedette-io/vedette/platform/record/shard"
)

// TestShards: Prometheus gets each counter under its own name.
func TestShards(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(recordmetrics.NewShards(func() shard.Stats {
		return shard.Stats{Members: 1, Shards: 2, Offered: 3, Held: 4, Claimed: 5, Released: 6, Removed: 7, Unheld: 8}
	})); err != nil {
		t.Fatal(err)
	}
	const want = `
# HELP vedette_shards_claimed_total Shards that this recorder began to record.
# TYPE vedette_shards_claimed_total counter
vedette_shards_claimed_total 5
# HELP vedette_shards_held Shards that this recorder records.
# TYPE vedette_shards_held gauge
vedette_shards_held 4
# HELP vedette_shards_known Shards that any recorder can record.
# TYPE vedette_shards_known gauge
vedette_shards_known 2
# HELP vedette_shards_members Recorders that share the work, including this one.
# TYPE vedette_shards_members gauge
vedette_shards_members 1
# HELP vedette_shards_offered Shards that this recorder can record.
# TYPE vedette_shards_offered gauge
vedette_shards_offered 3
# HELP vedette_shards_released_total Shards that moved from this recorder to another one.
# TYPE vedette_shards_released_total counter
vedette_shards_released_total 6
# HELP vedette_shards_removed_total Times that the other recorders took this one for dead.
# TYPE vedette_shards_removed_total counter
vedette_shards_removed_total 7
# HELP vedette_shards_unheld Shards that nobody records, as far as this recorder has seen: none of their holders has given a sign of life.
# TYPE vedette_shards_unheld gauge
vedette_shards_unheld 8
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
