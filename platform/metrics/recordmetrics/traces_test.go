package recordmetrics_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/vedette-io/vedette/platform/metrics/recordmetrics"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// TestTraces: Prometheus gets each counter under its own name.
func TestTraces(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(recordmetrics.NewTraces(func() jobtrace.Stats {
		return jobtrace.Stats{Traces: 5, Refused: 1, Rejected: 2, Retries: 3}
	})); err != nil {
		t.Fatal(err)
	}
	const want = `
# HELP vedette_traces_exported_total Traces that the collector accepted, including repetitions.
# TYPE vedette_traces_exported_total counter
vedette_traces_exported_total 5
# HELP vedette_traces_failing_seconds Time since the collector began to fail; 0 if it accepted the last request.
# TYPE vedette_traces_failing_seconds gauge
vedette_traces_failing_seconds 0
# HELP vedette_traces_refused_total Traces that the collector refused permanently.
# TYPE vedette_traces_refused_total counter
vedette_traces_refused_total 1
# HELP vedette_traces_rejected_spans_total Spans that the collector rejected in requests that it accepted.
# TYPE vedette_traces_rejected_spans_total counter
vedette_traces_rejected_spans_total 2
# HELP vedette_traces_retries_total Requests that failed and were sent again.
# TYPE vedette_traces_retries_total counter
vedette_traces_retries_total 3
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
