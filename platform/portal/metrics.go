package portal

import (
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/portal/livestream"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// requests counts answers by the class of their status. Any goroutine may use it.
type requests struct{ classes [6]atomic.Int64 }

// counting wraps next with a handler that counts its answers.
func (c *requests) counting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(s, r)
		c.classes[min(max(s.status/100, 0), 5)].Add(1)
	})
}

// statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap serves http.ResponseController.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

var (
	descRequests = prometheus.NewDesc("vedette_portal_requests_total", "Answers of the portal, by the class of their status.", []string{"class"}, nil)
	descStreams  = prometheus.NewDesc("vedette_portal_streams", "Open streams of browsers.", nil, nil)
	descResets   = prometheus.NewDesc("vedette_portal_stream_resets_total", "Resets: how often a browser had to load everything again.", nil, nil)
	descLag      = prometheus.NewDesc("vedette_portal_lag_seconds", "Age of transitions when they reached the streams, the 99th percentile of the last minute.", nil, nil)
	descLoaded   = prometheus.NewDesc("vedette_portal_loaded_ratio", "Share of the history that the index has read.", nil, nil)
	descBytes    = prometheus.NewDesc("vedette_portal_index_bytes", "Approximate memory of the index.", nil, nil)
	descPosition = prometheus.NewDesc("vedette_portal_feed_position", "Last position of the feed that the index has applied.", nil, nil)
	descReads    = prometheus.NewDesc("vedette_portal_history_reads_total", "Queries about histories, by the server that was to answer: replica, or database if the replica was not recent enough.", []string{"server"}, nil)
	descAge      = prometheus.NewDesc("vedette_portal_replica_age_seconds", "Largest possible age of the rows of the replica; -1 if it is unknown.", nil, nil)
	descStale    = prometheus.NewDesc("vedette_portal_database_up", "Whether the database answers.", nil, nil)
)

// numbers are the values of the metrics.
type numbers struct {
	stream          livestream.Stats
	loaded          float64
	bytes, position int64
	stale           bool
	replica         *sqldb.ReplicaStats // nil: no replica
}

// collector collects the metrics of a portal.
type collector struct {
	requests *requests
	now      func() numbers
}

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descRequests, descStreams, descResets, descLag, descLoaded, descBytes, descPosition, descReads, descAge, descStale} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64) { ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v) }
	for class := range c.requests.classes {
		if n := c.requests.classes[class].Load(); n > 0 {
			ch <- prometheus.MustNewConstMetric(descRequests, prometheus.CounterValue, float64(n), strconv.Itoa(class)+"xx")
		}
	}
	n := c.now()
	gauge(descStreams, float64(n.stream.Browsers))
	ch <- prometheus.MustNewConstMetric(descResets, prometheus.CounterValue, float64(n.stream.Resets))
	gauge(descLag, n.stream.Lag)
	gauge(descLoaded, n.loaded)
	gauge(descBytes, float64(n.bytes))
	gauge(descPosition, float64(n.position))
	if s := n.replica; s != nil {
		ch <- prometheus.MustNewConstMetric(descReads, prometheus.CounterValue, float64(s.Answered), "replica")
		ch <- prometheus.MustNewConstMetric(descReads, prometheus.CounterValue, float64(s.Passed), "database")
		gauge(descAge, max(-1, s.Age.Seconds()))
	}
	up := 1.0
	if n.stale {
		up = 0
	}
	gauge(descStale, up)
}
