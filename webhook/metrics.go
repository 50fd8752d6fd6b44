package webhook

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts and times requests.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics() metrics {
	return metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "vedette_webhook_requests_total", Help: "Requests of API servers, by path and outcome: succeeded, denied, failed, refused.",
		}, []string{"path", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "vedette_webhook_request_seconds", Help: "Duration of requests of API servers, by path.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"path"}),
	}
}

// count counts a request.
func (m metrics) count(path, outcome string, took time.Duration) {
	m.requests.WithLabelValues(path, outcome).Inc()
	m.seconds.WithLabelValues(path).Observe(took.Seconds())
}
