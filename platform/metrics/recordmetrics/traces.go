package recordmetrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// TraceCollector is a prometheus.Collector for an exporter of traces. Create it with
// NewTraces.
type TraceCollector struct {
	stats func() jobtrace.Stats
}

var _ prometheus.Collector = (*TraceCollector)(nil)

// NewTraces returns a collector that reads the counters of an exporter from stats. It calls
// stats for each collection. stats must be safe for concurrent use.
func NewTraces(stats func() jobtrace.Stats) *TraceCollector { return &TraceCollector{stats} }

func traceDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_traces_"+name, help, nil, nil)
}

var (
	traceExported = traceDesc("exported_total", "Traces that the collector accepted, including repetitions.")
	traceRefused  = traceDesc("refused_total", "Traces that the collector refused permanently.")
	traceRejected = traceDesc("rejected_spans_total", "Spans that the collector rejected in requests that it accepted.")
	traceRetries  = traceDesc("retries_total", "Requests that failed and were sent again.")
	traceFailing  = traceDesc("failing_seconds", "Time since the collector began to fail; 0 if it accepted the last request.")
)

// Describe implements prometheus.Collector.
func (c *TraceCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{traceExported, traceRefused, traceRejected, traceRetries, traceFailing} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *TraceCollector) Collect(out chan<- prometheus.Metric) {
	s := c.stats()
	for d, n := range map[*prometheus.Desc]int{traceExported: s.Traces, traceRefused: s.Refused, traceRejected: s.Rejected, traceRetries: s.Retries} {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n))
	}
	failing := 0.0
	if !s.FailingSince.IsZero() {
		failing = time.Since(s.FailingSince).Seconds()
	}
	out <- prometheus.MustNewConstMetric(traceFailing, prometheus.GaugeValue, failing)
}
