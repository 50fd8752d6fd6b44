package recordmetrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/logs/logkeeper"
)

// LogCollector is a prometheus.Collector for log keepers. Create it with NewLogs.
type LogCollector struct {
	list func() []logkeeper.Stats
}

var _ prometheus.Collector = (*LogCollector)(nil)

// NewLogs returns a collector that reads the counters of keepers from list. It calls list
// for each collection. list must be safe for concurrent use.
func NewLogs(list func() []logkeeper.Stats) *LogCollector { return &LogCollector{list} }

func logDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_logs_"+name, help, append([]string{"cluster"}, labels...), nil)
}

var (
	logKept       = logDesc("kept_total", "Logs that were stored after the end of their container.")
	logPartial    = logDesc("partial_total", "Writes of log lines of running containers.")
	logDuplicates = logDesc("duplicate_total", "Logs that the database had already, from another recorder or from before a restart.")
	logLost       = logDesc("lost_total", "Logs whose end was lost, by reason.", "reason")
	logRetries    = logDesc("retries_total", "Fetches that failed and were retried.")
	logPods       = logDesc("pods", "Present pods whose logs are kept.")
	logWaiting    = logDesc("waiting", "Fetches that wait.")
	logFetching   = logDesc("fetching", "Running fetches, by whether the node has begun to answer.", "answer")
	logHeld       = logDesc("held", "Logs that wait for the database.")
	logHeldBytes  = logDesc("held_bytes", "Memory of logs that wait for the database, in bytes.")
	logTails      = logDesc("tails", "Running containers that are followed.")
	logUntailed   = logDesc("untailed_total", "Containers that were not followed because of the limit on tails.")
	logStored     = logDesc("stored_lag_seconds", "Time from reading the event that a container ended to the commit of its log.")
	logEnded      = logDesc("ended_lag_seconds", "Time from the end of a container, which nodes report in whole seconds, to the commit of its log.")
	logFailing    = logDesc("failing_seconds", "Time since the database began to refuse logs; 0 if it accepted the last one.")
)

// Describe implements prometheus.Collector.
func (c *LogCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		logKept, logPartial, logDuplicates, logLost, logRetries, logPods, logWaiting, logFetching, logHeld, logHeldBytes, logTails, logUntailed,
		logStored, logEnded, logFailing,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *LogCollector) Collect(out chan<- prometheus.Metric) {
	for _, s := range c.list() {
		collectLogs(target{out, []string{s.Cluster}}, &s)
	}
}

func collectLogs(m target, s *logkeeper.Stats) {
	m.counter(logKept, s.Kept)
	m.counter(logPartial, s.Partial)
	m.counter(logDuplicates, s.Duplicates)
	for _, loss := range logkeeper.Losses {
		m.counter(logLost, s.Lost[loss], string(loss))
	}
	m.counter(logRetries, s.Retries)
	m.gauge(logPods, float64(s.Pods))
	m.gauge(logWaiting, float64(s.Waiting))
	m.gauge(logFetching, float64(s.Fetching), "begun")
	m.gauge(logFetching, float64(s.Stalled), "none")
	m.gauge(logHeld, float64(s.Held))
	m.gauge(logHeldBytes, float64(s.HeldBytes))
	m.gauge(logTails, float64(s.Tails))
	m.counter(logUntailed, s.Untailed)
	sendLogLag(m, logStored, &s.Stored)
	sendLogLag(m, logEnded, &s.Ended)
	since := 0.0
	if !s.Failing.IsZero() {
		since = time.Since(s.Failing).Seconds()
	}
	m.gauge(logFailing, since)
}

// sendLogLag sends a histogram of a lag.
func sendLogLag(t target, d *prometheus.Desc, l *logkeeper.Lag) {
	upTo, n := map[float64]uint64{}, uint64(0)
	for i, bound := range logkeeper.LagBounds {
		n += l.Buckets[i]
		upTo[bound.Seconds()] = n
	}
	t.out <- prometheus.MustNewConstHistogram(d, l.Count, l.Sum.Seconds(), upTo, t.labels...)
}
