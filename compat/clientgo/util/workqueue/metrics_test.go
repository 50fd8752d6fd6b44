package workqueue_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	testclock "k8s.io/utils/clock/testing"

	"github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
)

// recorder is a metrics provider that remembers the values.
type recorder struct {
	mu     sync.Mutex
	values map[string]float64
	seen   map[string][]float64
}

func newRecorder() *recorder {
	return &recorder{values: map[string]float64{}, seen: map[string][]float64{}}
}

type metric struct {
	r    *recorder
	name string
}

func (m metric) change(change func()) {
	m.r.mu.Lock()
	defer m.r.mu.Unlock()
	change()
}
func (m metric) Inc()          { m.change(func() { m.r.values[m.name]++ }) }
func (m metric) Dec()          { m.change(func() { m.r.values[m.name]-- }) }
func (m metric) Set(v float64) { m.change(func() { m.r.values[m.name] = v }) }
func (m metric) Observe(v float64) {
	m.change(func() { m.r.seen[m.name] = append(m.r.seen[m.name], v) })
}

func (r *recorder) NewDepthMetric(q string) clientgo.GaugeMetric { return metric{r, q + " depth"} }

func (r *recorder) NewAddsMetric(q string) clientgo.CounterMetric { return metric{r, q + " adds"} }

func (r *recorder) NewLatencyMetric(q string) clientgo.HistogramMetric {
	return metric{r, q + " latency"}
}

func (r *recorder) NewWorkDurationMetric(q string) clientgo.HistogramMetric {
	return metric{r, q + " work"}
}

func (r *recorder) NewRetriesMetric(q string) clientgo.CounterMetric {
	return metric{r, q + " retries"}
}

func (r *recorder) NewUnfinishedWorkSecondsMetric(q string) clientgo.SettableGaugeMetric {
	return metric{r, q + " unfinished"}
}

func (r *recorder) NewLongestRunningProcessorSecondsMetric(q string) clientgo.SettableGaugeMetric {
	return metric{r, q + " longest"}
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		fmt.Fprintf(&b, "%s=%v ", name, r.values[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.seen)) {
		fmt.Fprintf(&b, "%s=%v ", name, r.seen[name])
	}
	return strings.TrimSpace(b.String())
}

const wantMetrics = "q adds=4 q depth=1 q longest=4 q retries=3 q unfinished=4 q latency=[2 6 0] q work=[3 3]"

// play performs the calls that the metrics of the tests count; step advances the time.
func play(t *testing.T, q clientgo.TypedRateLimitingInterface[string], step func(time.Duration)) {
	q.Add("a")
	q.Add("a")
	step(2 * time.Second)
	take(t, q, "a")
	q.Add("a") // waits from here on, for latency
	q.Add("a")
	step(3 * time.Second)
	q.Done("a")
	step(3 * time.Second)
	take(t, q, "a")
	step(3 * time.Second)
	q.Done("a")
	q.AddAfter("b", time.Second)
	q.AddAfter("b", 0)
	take(t, q, "b")
	step(4 * time.Second)
	q.AddRateLimited("b") // comes back at once, and is handled
	length(t, q, 0)
}

func TestMetrics(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		r, fake := newRecorder(), testclock.NewFakeClock(time.Now())
		q := m.limited(clientgo.NewTypedItemFastSlowRateLimiter[string](0, 0, 1),
			clientgo.TypedRateLimitingQueueConfig[string]{Name: "q", MetricsProvider: r, Clock: fake})
		synctest.Wait()
		play(t, q, func(d time.Duration) {
			fake.Step(d)
			synctest.Wait()
		})
		if got := r.String(); got != wantMetrics {
			t.Errorf("%s\nwant %s", got, wantMetrics)
		}
		q.ShutDown()
		// Items that the queue holds are counted after the end.
		q.Done("b")
		take(t, q, "b")
		q.Done("b")
		if r.values["q depth"] != 0 || len(r.seen["q work"]) != 4 {
			t.Errorf("got %+v, want a depth of 0 and 4 times of work", r)
		}
		fake.Step(time.Second) // before 0.35 client-go's goroutine ends at the next tick
	})
}

var providerSet bool

// TestProviderOfTheProcess: a provider that was given to client-go's SetProvider,
// as programs do by importing a package, gets the metrics of our queues.
func TestProviderOfTheProcess(t *testing.T) {
	if !providerSet { // only the first call has an effect
		before := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Name: "before"})
		clientgo.SetProvider(process)
		before.Add("a")
		before.ShutDown()
		providerSet = true
	}
	process.values, process.seen = map[string]float64{}, map[string][]float64{}
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.NewTypedItemFastSlowRateLimiter[string](0, 0, 1),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "q"})
		play(t, q, func(d time.Duration) { pass(d) })
		q.ShutDown()
		unnamed := workqueue.NewTyped[string]()
		unnamed.Add("a")
		unnamed.ShutDown()
		if got := process.String(); got != wantMetrics {
			t.Errorf("%s\nwant %s", got, wantMetrics)
		}
	})
}

var process = newRecorder()
