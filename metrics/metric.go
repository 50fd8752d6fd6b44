package metrics

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// about returns a function that describes the metrics of a component: prefix precedes their
// names, and label has the name of the instance.
func about(prefix, label string) func(name, help string, labels ...string) *prometheus.Desc {
	return func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("vedette_"+prefix+name, help, append([]string{label}, labels...), nil)
	}
}

// metricsOf sends the metrics of one instance, whose name is their first label.
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

// histogram sends a histogram of durations. There is a bucket for each bound, and one for
// longer durations.
func (m metricsOf) histogram(d *prometheus.Desc, bounds []time.Duration, buckets []uint64, total time.Duration) {
	upTo := map[float64]uint64{}
	n := uint64(0)
	for i, bound := range bounds {
		n += buckets[i]
		upTo[bound.Seconds()] = n
	}
	m.out <- prometheus.MustNewConstHistogram(d, n+buckets[len(bounds)], total.Seconds(), upTo, m.name)
}

// names counts names, to make each of them unique.
type names map[string]int

func (n names) of(name string) string {
	if n[name]++; n[name] > 1 {
		return fmt.Sprintf("%s #%d", name, n[name])
	}
	return name
}
