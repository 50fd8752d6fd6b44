package recordmetrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/record/shard"
)

// Shards is a prometheus.Collector for the share of a process in the work of all recorders.
// Create it with NewShards.
type Shards struct{ stats func() shard.Stats }

var _ prometheus.Collector = (*Shards)(nil)

// NewShards returns a collector. stats must be safe for concurrent use.
func NewShards(stats func() shard.Stats) *Shards { return &Shards{stats} }

func shardDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_shards_"+name, help, nil, nil)
}

var (
	members   = shardDesc("members", "Recorders that share the work, including this one.")
	allShards = shardDesc("known", "Shards that any recorder can record.")
	offered   = shardDesc("offered", "Shards that this recorder can record.")
	held      = shardDesc("held", "Shards that this recorder records.")
	unheld    = shardDesc("unheld", "Shards that nobody records, as far as this recorder has seen: none of their holders has given a sign of life.")
	claimed   = shardDesc("claimed_total", "Shards that this recorder began to record.")
	released  = shardDesc("released_total", "Shards that moved from this recorder to another one.")
	removed   = shardDesc("removed_total", "Times that the other recorders took this one for dead.")
)

// Describe implements prometheus.Collector.
func (c *Shards) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{members, allShards, offered, held, unheld, claimed, released, removed} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Shards) Collect(out chan<- prometheus.Metric) {
	s := c.stats()
	for d, v := range map[*prometheus.Desc]int{members: s.Members, allShards: s.Shards, offered: s.Offered, held: s.Held, unheld: s.Unheld} {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v))
	}
	for d, v := range map[*prometheus.Desc]int{claimed: s.Claimed, released: s.Released, removed: s.Removed} {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v))
	}
}
