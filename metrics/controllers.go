package metrics

import (
	"fmt"
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/workqueue"
)

// Queues is a prometheus.Collector of workqueues. Create it with NewQueues.
type Queues struct {
	list func() map[string]workqueue.Stats
}

// Controllers is a prometheus.Collector of controllers and their queues. Create it
// with NewControllers.
type Controllers struct {
	list func() []controller.Health
}

var (
	_ prometheus.Collector = (*Queues)(nil)
	_ prometheus.Collector = (*Controllers)(nil)
)

// NewQueues returns a collector of the queues that list returns, by name. It is
// called at each collection, on any goroutine. The queue of a controller is
// collected with it.
func NewQueues(list func() map[string]workqueue.Stats) *Queues { return &Queues{list} }

// NewControllers returns a collector of the controllers whose health list returns.
// It is called at each collection, on any goroutine. If controllers have the same name, all
// except the first get a number.
func NewControllers(list func() []controller.Health) *Controllers { return &Controllers{list} }

// queueDescs are the metrics of a queue.
type queueDescs struct {
	depth, delayed, handled, adds, retries, oldest, longest, unfinished, latency, work *prometheus.Desc
}

func describeQueue(desc func(name, help string, labels ...string) *prometheus.Desc) *queueDescs {
	return &queueDescs{
		depth:      desc("depth", "Items that wait, by priority.", "priority"),
		delayed:    desc("delayed", "Items that are delayed."),
		handled:    desc("handled", "Items that are handled now."),
		adds:       desc("adds_total", "Items that were added."),
		retries:    desc("retries_total", "Items that were retried."),
		oldest:     desc("oldest_seconds", "Longest time for which an item has been waiting."),
		longest:    desc("longest_running_seconds", "Longest time for which an item has been handled."),
		unfinished: desc("unfinished_work_seconds", "Sum of the times for which the current items have been handled."),
		latency:    desc("queue_duration_seconds", "How long items waited before they were handed out."),
		work:       desc("work_duration_seconds", "How long items were handled."),
	}
}

func (d *queueDescs) describe(out chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{d.depth, d.delayed, d.handled, d.adds, d.retries, d.oldest, d.longest, d.unfinished, d.latency, d.work} {
		out <- one
	}
}

func (d *queueDescs) collect(m metricsOf, s *workqueue.Stats) {
	for _, level := range s.Depths {
		m.gauge(d.depth, float64(level.Waiting), fmt.Sprint(level.Priority))
	}
	m.gauge(d.delayed, float64(s.Delayed))
	m.gauge(d.handled, float64(s.Handled))
	m.counter(d.adds, s.Adds)
	m.counter(d.retries, s.Retries)
	m.gauge(d.oldest, s.Oldest.Seconds())
	m.gauge(d.longest, s.Longest.Seconds())
	m.gauge(d.unfinished, s.Unfinished.Seconds())
	m.histogram(d.latency, workqueue.Bounds[:], s.Latency.Buckets[:], s.Latency.Sum)
	m.histogram(d.work, workqueue.Bounds[:], s.Work.Buckets[:], s.Work.Sum)
}

var (
	queues           = describeQueue(about("workqueue_", "workqueue"))
	controllerQueues = describeQueue(about("controller_queue_", "controller"))

	ctl = about("controller_", "controller")

	reconciles = ctl("reconciles_total", "Reconciles that have ended, by outcome.", "outcome")
	panicked   = ctl("panics_total", "Reconciles that panicked.")
	waits      = ctl("own_write_waits_total", "Reconciles that waited until informers showed earlier writes.")
	waited     = ctl("own_write_wait_seconds_total", "How long reconciles waited for earlier writes.")
	unseen     = ctl("own_writes_unseen_total", "Reconciles that began before informers showed earlier writes, because the wait was too long.")
	unmapped   = ctl("events_unmapped_total", "Events whose keys could not be computed.")
	works      = ctl("phase", "1 for the phase that the controller is in.", "phase")
	ready      = ctl("ready", "1 if the controller works, or waits for its turn among replicas.")
	isActive   = ctl("replica_active", "1 if this replica has keys.")
	token      = ctl("replica_token", "The fencing token of this replica.")
	members    = ctl("replica_members", "Replicas that share the keys.")
	terms      = ctl("replica_terms_total", "How often this replica became active.")
	lapses     = ctl("replica_lapses_total", "How often this replica had to stop because it lost its lease or did not renew it in time.")
)

// Describe implements prometheus.Collector.
func (q *Queues) Describe(out chan<- *prometheus.Desc) { queues.describe(out) }

// Collect implements prometheus.Collector.
func (q *Queues) Collect(out chan<- prometheus.Metric) {
	all := q.list()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		queues.collect(metricsOf{out, name}, &s)
	}
}

// Describe implements prometheus.Collector.
func (c *Controllers) Describe(out chan<- *prometheus.Desc) {
	controllerQueues.describe(out)
	for _, d := range []*prometheus.Desc{reconciles, panicked, waits, waited, unseen, unmapped, works, ready, isActive, token, members, terms, lapses} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Controllers) Collect(out chan<- prometheus.Metric) {
	names := names{}
	for _, h := range c.list() {
		m := metricsOf{out, names.of(h.Name)}
		controllerQueues.collect(m, &h.Queue)
		collectController(m, &h)
	}
}

func collectController(m metricsOf, h *controller.Health) {
	s := &h.Stats
	for o, n := range s.Reconciles {
		m.counter(reconciles, n, controller.Outcome(o).String())
	}
	m.counter(panicked, s.Panics)
	m.counter(waits, s.Waits)
	m.out <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, s.Waited.Seconds(), m.name)
	m.counter(unseen, s.Unseen)
	m.counter(unmapped, s.Unmapped)
	m.gauge(works, 1, h.Phase.String())
	m.gauge(ready, one(h.Ready() == nil))
	if r := &h.Replica; r.Mode != controller.SingleReplica {
		m.gauge(isActive, one(r.Active))
		m.gauge(token, float64(r.Token))
		m.gauge(members, float64(len(r.Members)))
		m.counter(terms, r.Terms)
		m.counter(lapses, r.Lapses)
	}
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
