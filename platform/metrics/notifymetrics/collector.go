package notifymetrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// Source provides the values.
type Source struct {
	// Stats returns the counts of the workers of this process, by channel.
	Stats func() map[string]notify.SendStats
	// Counts returns the numbers of deliveries in the database. It is called at each
	// collection, with a deadline.
	Counts func(context.Context) ([]delivery.Count, error)
}

// Collector is a prometheus.Collector for notifications. Create it with New.
type Collector struct{ source Source }

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector that reads its values from source, on any goroutine.
func New(source Source) *Collector { return &Collector{source} }

// timeout is the timeout of the query of a collection.
const timeout = 5 * time.Second

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_notify_"+name, help, append([]string{"channel"}, labels...), nil)
}

var (
	deliveries = desc("deliveries", "Deliveries in the database that are not sent, by state: held, behind, waiting, sending, dead.", "state")
	oldest     = desc("oldest_seconds", "Age of the oldest delivery that waits to be sent; 0 if none waits.")
	tries      = desc("tries_total", "Tries of this process, by result: sent, temporary, throttled, permanent, disabled, composing.", "result")
	dead       = desc("dead_total", "Deliveries that became dead letters in this process.")
	latency    = desc("latency_seconds", "Time of a try until the channel answered.")
	lag        = desc("lag_seconds", "Time from the creation of a delivery until the channel accepted it.")
	active     = desc("active", "Deliveries that this process has claimed.")
	rescued    = desc("rescued_total", "Claims of crashed workers that this process took over.")
	lost       = desc("lost_total", "Results that arrived after another worker had taken over the claim.")
	failures   = desc("failures", "Failures of the channel since its last success, in all processes.")
	paused     = desc("paused_seconds", "Time until the channel is used again, by cause: broken, throttled.", "cause")
	disabled   = desc("disabled", "1 if the endpoint reported that it no longer exists; otherwise 0.")
	up         = prometheus.NewDesc("vedette_notify_database_up", "1 if the database answered this collection; otherwise 0.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{deliveries, oldest, tries, dead, latency, lag, active, rescued, lost, failures, paused, disabled, up} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	stats := c.source.Stats()
	for name, s := range stats {
		collect(channel{out, name}, &s, time.Now())
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	counts, err := c.source.Counts(ctx)
	if err != nil {
		out <- prometheus.MustNewConstMetric(up, prometheus.GaugeValue, 0)
		return
	}
	out <- prometheus.MustNewConstMetric(up, prometheus.GaugeValue, 1)
	collectCounts(out, stats, counts)
}

// unsent are the states that the database reports.
var unsent = []delivery.State{delivery.Held, delivery.Behind, delivery.Waiting, delivery.Sending, delivery.Dead}

// collectCounts sends a value for each state of each channel, also 0: queries cannot
// distinguish a series that vanishes from one that does not change.
func collectCounts(out chan<- prometheus.Metric, stats map[string]notify.SendStats, counts []delivery.Count) {
	type key struct {
		channel string
		state   delivery.State
	}
	n, first := map[key]int{}, map[string]time.Time{}
	for name := range stats {
		first[name] = time.Time{}
	}
	for _, c := range counts {
		n[key{c.Channel, c.State}] = c.N
		at := first[c.Channel]
		if c.State != delivery.Held && c.State != delivery.Dead && (at.IsZero() || c.Oldest.Before(at)) {
			at = c.Oldest
		}
		first[c.Channel] = at
	}
	for name, at := range first {
		m := channel{out, name}
		for _, s := range unsent {
			m.gauge(deliveries, float64(n[key{name, s}]), s.String())
		}
		age := 0.0
		if !at.IsZero() {
			age = max(0, time.Since(at).Seconds())
		}
		m.gauge(oldest, age)
	}
}

// channel sends the metrics of one channel.
type channel struct {
	out  chan<- prometheus.Metric
	name string
}

func (c channel) send(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels []string) {
	c.out <- prometheus.MustNewConstMetric(d, kind, v, append([]string{c.name}, labels...)...)
}

func (c channel) gauge(d *prometheus.Desc, v float64, labels ...string) {
	c.send(d, prometheus.GaugeValue, v, labels)
}

func (c channel) counter(d *prometheus.Desc, v uint64, labels ...string) {
	c.send(d, prometheus.CounterValue, float64(v), labels)
}

func (c channel) histogram(d *prometheus.Desc, h *notify.Histogram) {
	upTo, n := map[float64]uint64{}, uint64(0)
	for i, bound := range notify.LatencyBounds {
		n += h.Buckets[i]
		upTo[bound.Seconds()] = n
	}
	c.out <- prometheus.MustNewConstHistogram(d, h.Count(), h.Sum.Seconds(), upTo, c.name)
}

func collect(m channel, s *notify.SendStats, now time.Time) {
	m.counter(tries, s.Sent, "sent")
	m.counter(tries, s.Temporary, "temporary")
	m.counter(tries, s.Throttled, "throttled")
	m.counter(tries, s.Permanent, "permanent")
	m.counter(tries, s.Disabled, "disabled")
	m.counter(tries, s.Composing, "composing")
	m.counter(dead, s.Dead)
	m.counter(rescued, s.Rescued)
	m.counter(lost, s.Lost)
	m.gauge(active, float64(s.Active))
	m.histogram(latency, &s.Latency)
	m.histogram(lag, &s.Lag)
	m.gauge(failures, float64(s.Channel.Failures))
	for _, cause := range []delivery.Cause{delivery.Broken, delivery.Throttled} {
		left := 0.0
		if s.Channel.Cause == cause {
			left = max(0, s.Channel.PausedUntil.Sub(now).Seconds())
		}
		m.gauge(paused, left, cause.String())
	}
	gone := 0.0
	if !s.Channel.DisabledAt.IsZero() {
		gone = 1
	}
	m.gauge(disabled, gone)
}
