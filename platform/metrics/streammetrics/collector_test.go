package streammetrics_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/vedette-io/vedette/platform/metrics/streammetrics"
	"github.com/vedette-io/vedette/platform/send/stream"
)

// TestCollector checks that each value has its own name.
func TestCollector(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(streammetrics.New(
		func() stream.Stats { return stream.Stats{Sent: 1, Skipped: 2, Failures: 3, TooLarge: 5} },
		func(context.Context) (int64, error) { return 4, nil },
	))
	err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP vedette_stream_behind Transitions that the stream has not sent yet.
# TYPE vedette_stream_behind gauge
vedette_stream_behind 4
# HELP vedette_stream_database_up 1 if the database answered this collection; otherwise 0.
# TYPE vedette_stream_database_up gauge
vedette_stream_database_up 1
# HELP vedette_stream_events_total Events that the broker has stored, including repetitions.
# TYPE vedette_stream_events_total counter
vedette_stream_events_total 1
# HELP vedette_stream_failing_seconds Time since the broker began to refuse events; 0 while it accepts them.
# TYPE vedette_stream_failing_seconds gauge
vedette_stream_failing_seconds 0
# HELP vedette_stream_failures_total Attempts that failed.
# TYPE vedette_stream_failures_total counter
vedette_stream_failures_total 3
# HELP vedette_stream_skipped_total Transitions that the flags do not select.
# TYPE vedette_stream_skipped_total counter
vedette_stream_skipped_total 2
# HELP vedette_stream_too_large_total Events that were left out because the broker takes none of their size.
# TYPE vedette_stream_too_large_total counter
vedette_stream_too_large_total 5
`))
	if err != nil {
		t.Error(err)
	}
}

// TestFaults checks the values while the broker and the database are away.
func TestFaults(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(streammetrics.New(
		func() stream.Stats { return stream.Stats{FailingSince: time.Now().Add(-time.Hour)} },
		func(context.Context) (int64, error) { return 0, errors.New("no database") },
	))
	all, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		v := f.GetMetric()[0].GetGauge().GetValue()
		switch f.GetName() {
		case "vedette_stream_behind":
			t.Error("an unknown number was reported")
		case "vedette_stream_database_up":
			if v != 0 {
				t.Errorf("database_up is %v, want 0", v)
			}
		case "vedette_stream_failing_seconds":
			if v < 3600 || v > 3700 {
				t.Errorf("failing_seconds is %v, want an hour", v)
			}
		}
	}
}
