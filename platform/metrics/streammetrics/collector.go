package streammetrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/send/stream"
)

// Collector is a prometheus.Collector for a streamer. Create it with New.
type Collector struct {
	stats  func() stream.Stats
	behind func(context.Context) (int64, error)
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector. For each collection it calls stats, and behind with a deadline,
// which returns the number of transitions that the cursor has not reached. Both must be safe
// for concurrent use.
func New(stats func() stream.Stats, behind func(context.Context) (int64, error)) *Collector {
	return &Collector{stats, behind}
}

// timeout is the timeout of the query of a collection.
const timeout = 5 * time.Second

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_stream_"+name, help, nil, nil)
}

var (
	sent     = desc("events_total", "Events that the broker has stored, including repetitions.")
	skipped  = desc("skipped_total", "Transitions that the flags do not select.")
	failures = desc("failures_total", "Attempts that failed.")
	tooLarge = desc("too_large_total", "Events that were left out because the broker takes none of their size.")
	failing  = desc("failing_seconds", "Time since the broker began to refuse events; 0 while it accepts them.")
	waiting  = desc("behind", "Transitions that the stream has not sent yet.")
	up       = desc("database_up", "1 if the database answered this collection; otherwise 0.")
)

// Describe implements prometheus.Collector.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sent, skipped, failures, tooLarge, failing, waiting, up} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	s := c.stats()
	for d, n := range map[*prometheus.Desc]int{sent: s.Sent, skipped: s.Skipped, failures: s.Failures, tooLarge: s.TooLarge} {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n))
	}
	gauge := func(d *prometheus.Desc, v float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	if s.FailingSince.IsZero() {
		gauge(failing, 0)
	} else {
		gauge(failing, time.Since(s.FailingSince).Seconds())
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	n, err := c.behind(ctx)
	if err != nil {
		gauge(up, 0)
		return
	}
	gauge(up, 1)
	gauge(waiting, float64(n))
}
