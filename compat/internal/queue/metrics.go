package queue

import (
	"errors"
	"reflect"
	"sync"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"github.com/vedette-io/vedette/compat/internal/hidden"
	"github.com/vedette-io/vedette/workqueue"
)

// period is the interval at which the metrics of handled items are set, as in client-go.
const period = 500 * time.Millisecond

// ErrHidden is returned if the process has a provider and this version of client-go keeps
// the provider's metrics in other fields.
var ErrHidden = errors.New("client-go's metrics cannot be reached")

// Metrics counts the events of a queue. The queue measures the times.
type Metrics[T comparable] struct {
	clock clock.WithTicker // nil for the real one

	depth               clientgo.GaugeMetric
	adds                clientgo.CounterMetric
	latency, work       clientgo.HistogramMetric
	unfinished, longest clientgo.SettableGaugeMetric

	once sync.Once
	end  chan struct{}
	runs sync.WaitGroup
}

// NewMetrics returns the metrics of a queue; nil without a name, or if the
// provider is nil and the process has none. A nil clock is the real one.
//
// Errors: ErrHidden.
func NewMetrics[T comparable](name string, provider clientgo.MetricsProvider, c clock.WithTicker) (*Metrics[T], error) {
	if name == "" {
		return nil, nil
	}
	if _, real := c.(clock.RealClock); real {
		c = nil
	}
	m := &Metrics[T]{clock: c, end: make(chan struct{})}
	if provider == nil {
		return m.ofProcess(name)
	}
	m.depth, m.adds = provider.NewDepthMetric(name), provider.NewAddsMetric(name)
	m.latency, m.work = provider.NewLatencyMetric(name), provider.NewWorkDurationMetric(name)
	m.unfinished, m.longest = provider.NewUnfinishedWorkSecondsMetric(name), provider.NewLongestRunningProcessorSecondsMetric(name)
	return m, nil
}

// ofProcess takes the metrics from a queue of client-go that is made for them. The
// provider that a process has set cannot be read, and only a queue asks it.
func (m *Metrics[T]) ofProcess(name string) (*Metrics[T], error) {
	v, counted := process(name)
	if !counted {
		return nil, nil
	}
	if v.Kind() != reflect.Struct || !(hidden.Field(v, "depth", &m.depth) && hidden.Field(v, "adds", &m.adds) &&
		hidden.Field(v, "latency", &m.latency) && hidden.Field(v, "workDuration", &m.work) &&
		hidden.Field(v, "unfinishedWorkSeconds", &m.unfinished) && hidden.Field(v, "longestRunningProcessor", &m.longest)) {
		return nil, ErrHidden
	}
	return m, nil
}

// since returns the clock of the queue; nil for the real one.
func (m *Metrics[T]) since() func() time.Duration {
	if m.clock == nil {
		return nil
	}
	start := m.clock.Now()
	return func() time.Duration { return m.clock.Since(start) }
}

// Added implements workqueue.Observer.
func (m *Metrics[T]) Added(T) {
	m.adds.Inc()
	m.depth.Inc()
}

// Taken implements workqueue.Observer.
func (m *Metrics[T]) Taken(_ T, ago time.Duration) {
	m.depth.Dec()
	m.latency.Observe(ago.Seconds())
}

// Done implements workqueue.Observer.
func (m *Metrics[T]) Done(_ T, took time.Duration) { m.work.Observe(took.Seconds()) }

// follow sets the metrics of handled items until Stop.
func (m *Metrics[T]) follow(stats func() workqueue.Stats) {
	ticker := clock.WithTicker(clock.RealClock{}).NewTicker
	if m.clock != nil {
		ticker = m.clock.NewTicker
	}
	m.runs.Go(func() {
		t := ticker(period)
		defer t.Stop()
		for {
			select {
			case <-t.C():
				s := stats()
				m.unfinished.Set(s.Unfinished.Seconds())
				m.longest.Set(s.Longest.Seconds())
			case <-m.end:
				return
			}
		}
	})
}

// Stop ends the goroutine of the metrics. Metrics still count items that are
// taken or done later.
func (m *Metrics[T]) Stop() {
	m.once.Do(func() { close(m.end) })
	m.runs.Wait()
}
