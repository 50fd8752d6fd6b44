package queue_test

import (
	"testing"

	clientgo "k8s.io/client-go/util/workqueue"

	"github.com/vedette-io/vedette/compat/internal/queue"
)

// nothing is a provider of the process; its metrics do nothing.
type (
	nothing struct{}
	metric  struct{}
)

func (metric) Inc()            {}
func (metric) Dec()            {}
func (metric) Set(float64)     {}
func (metric) Observe(float64) {}

func (nothing) NewDepthMetric(string) clientgo.GaugeMetric { return metric{} }

func (nothing) NewAddsMetric(string) clientgo.CounterMetric { return metric{} }

func (nothing) NewLatencyMetric(string) clientgo.HistogramMetric { return metric{} }

func (nothing) NewWorkDurationMetric(string) clientgo.HistogramMetric { return metric{} }

func (nothing) NewRetriesMetric(string) clientgo.CounterMetric { return metric{} }

func (nothing) NewUnfinishedWorkSecondsMetric(string) clientgo.SettableGaugeMetric { return metric{} }

func (nothing) NewLongestRunningProcessorSecondsMetric(string) clientgo.SettableGaugeMetric {
	return metric{}
}

// TestProcess: this version of client-go keeps the metrics of the process where they are
// looked for. Without a provider or a name there are none.
func TestProcess(t *testing.T) {
	made := func(name string) bool {
		m, err := queue.NewMetrics[string](name, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m != nil
	}
	clientgo.SetProvider(nothing{}) // only the first call has an effect
	if made("") || !made("a") {
		t.Error("metrics without a name, or none with a name")
	}
}
