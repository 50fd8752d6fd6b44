package manager

import (
	"log/slog"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/internal/guard"
)

// guardedCollector is a collector of the program. The registry calls it on a goroutine of its
// own. After a panic the rest of its metrics is missing; the first panic is logged.
type guardedCollector struct {
	prometheus.Collector
	log      func() *slog.Logger
	reported *atomic.Bool
}

// Collect implements prometheus.Collector.
func (c guardedCollector) Collect(ch chan<- prometheus.Metric) {
	err := guard.Call(func() error {
		c.Collector.Collect(ch)
		return nil
	})
	if err != nil && !c.reported.Swap(true) {
		c.log().Error("manager: a collector of AddMetrics panicked; its metrics are missing", "err", err)
	}
}
