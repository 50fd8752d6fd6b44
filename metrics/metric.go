package metrics

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// about describes metrics of a part: prefix is before their names, and label says
// of which one they are.
func about(prefix, label string) func(name, help string, labels ...string) *prometheus.Desc {
	return func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("vedette_"+prefix+name, help, append([]string{label}, labels...), nil)
	}
}

// metricsOf sends metrics of one thing, whose name is their first label.
type metricsOf struct {
	out  chan<- prometheus.Metric
	name string
}

func (m metricsOf) gauge(d *prometheus.Desc, v float64, labels ...string) {
	m.out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{m.name}, labels...)...)
}

func (m metricsOf) counter(d *prometheus.Desc, v uint64, labels ...string) {
	m.out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), append([]string{m.name}, labels...)...)
}

// histogram sends one of durations. There is a bucket for each bound, and one for what
// is beyond them.
func (m metricsOf) histogram(d *prometheus.Desc, bounds []time.Duration, buckets []uint64, total time.Duration) {
	upTo := map[float64]uint64{}
	n := uint64(0)
	for i, bound := range bounds {
		n += buckets[i]
		upTo[bound.Seconds()] = n
	}
	m.out <- prometheus.MustNewConstHistogram(d, n+buckets[len(bounds)], total.Seconds(), upTo, m.name)
}

// names counts those that were given, so that no two are the same.
type names map[string]int

func (n names) of(name string) string {
	if n[name]++; n[name] > 1 {
		return fmt.Sprintf("%s #%d", name, n[name])
	}
	return name
}
