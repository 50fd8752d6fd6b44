package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/metrics"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
	"github.com/vedette-io/vedette/platform/metrics/notifymetrics"
	"github.com/vedette-io/vedette/platform/metrics/recordmetrics"
	"github.com/vedette-io/vedette/platform/metrics/streammetrics"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/workqueue"
)

// collectors are the collectors of all programs, each with a sample for its metrics.
func collectors(t *testing.T) []prometheus.Collector {
	p := emptyPortal(t)
	p.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", nil))
	queue := workqueue.Stats{Depths: make([]workqueue.Depth, 1)}
	return []prometheus.Collector{
		recordmetrics.New(func() []record.Health {
			one := record.TargetHealth{Ready: true, CoveredAt: time.Unix(1, 0)}
			one.Gaps = map[string]uint64{record.CauseWindow: 1}
			return []record.Health{{Targets: []record.TargetHealth{one}}}
		}),
		recordmetrics.NewLogs(func() []logkeeper.Stats { return []logkeeper.Stats{{Synced: true}} }),
		recordmetrics.NewTraces(func() jobtrace.Stats { return jobtrace.Stats{} }),
		recordmetrics.NewShards(func() shard.Stats { return shard.Stats{} }),
		streammetrics.New(func() stream.Stats { return stream.Stats{} }, func(context.Context) (int64, error) { return 0, nil }),
		notifymetrics.New(notifymetrics.Source{
			Stats:  func() map[string]notify.SendStats { return map[string]notify.SendStats{"chat": {}} },
			Counts: func(context.Context) ([]delivery.Count, error) { return nil, nil },
		}),
		p.Collector(),
		metrics.New(func() []informer.Info {
			return []informer.Info{{Health: informer.Health{Scopes: make([]informer.ScopeHealth, 1), Handlers: make([]informer.HandlerHealth, 1)}}}
		}),
		metrics.NewQueues(func() map[string]workqueue.Stats { return map[string]workqueue.Stats{"queue": queue} }),
		metrics.NewControllers(func() []controller.Health {
			return []controller.Health{{Queue: queue, Replica: controller.ReplicaHealth{Mode: controller.LeaderElection}}}
		}),
	}
}

// described finds the name and the labels of a metric in the text of its description.
var described = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

func metricSurface(t *testing.T) surface {
	s := surface{}
	types := map[string]string{}
	for _, c := range collectors(t) {
		for m := range drain(c.Collect) {
			var one dto.Metric
			if err := m.Write(&one); err != nil {
				t.Fatal(err)
			}
			types[m.Desc().String()] = typeOf(&one)
		}
		for d := range drain(c.Describe) {
			found := described.FindStringSubmatch(d.String())
			if found == nil {
				t.Fatalf("the description %s has another form", d)
			}
			kind := types[d.String()]
			if kind == "" {
				kind = "unknown" // it appears only with a replica of the database
			}
			s.add(t, found[1], kind+" "+strings.ReplaceAll(found[2], ",", " "))
		}
	}
	return s
}

// drain returns all that a function sends.
func drain[T any](send func(chan<- T)) func(yield func(T) bool) {
	all := make(chan T)
	go func() {
		defer close(all)
		send(all)
	}()
	return func(yield func(T) bool) {
		more := true
		for one := range all {
			more = more && yield(one)
		}
	}
}

func typeOf(m *dto.Metric) string {
	switch {
	case m.GetCounter() != nil:
		return "counter"
	case m.GetHistogram() != nil:
		return "histogram"
	case m.GetGauge() != nil:
		return "gauge"
	}
	return "other"
}
