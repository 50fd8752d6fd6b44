package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/metrics/notifymetrics"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// notifyCollectors returns the metrics of a notifier. current returns the notifier, or nil
// while no notifier runs.
func notifyCollectors(current func() *notifier) []prometheus.Collector {
	return []prometheus.Collector{notifymetrics.New(notifymetrics.Source{
		Stats: func() map[string]notify.SendStats {
			if n := current().current(); n != nil {
				return n.SendStats()
			}
			return nil
		},
		Counts: func(ctx context.Context) ([]delivery.Count, error) {
			n := current()
			if n == nil {
				return nil, nil
			}
			return delivery.Counts(ctx, n.d)
		},
	})}
}
