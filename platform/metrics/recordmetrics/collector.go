package recordmetrics

import (
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/reflector"
)

// Collector is a prometheus.Collector for recorders. Create it with New.
type Collector struct {
	list func() []record.Health
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector that reads the health of recorders from list. It calls list for
// each collection. list must be safe for concurrent use.
func New(list func() []record.Health) *Collector { return &Collector{list} }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_record_"+name, help, append([]string{"cluster", "type", "namespace", "selector"}, labels...), nil)
}

// deprecated begins the help text of metrics that the next version removes.
const deprecated = "Deprecated, use %s. "

var (
	ready       = desc("ready", "1 if the first list was written or the watch was resumed; otherwise 0.")
	standby     = desc("standby", "1 if other recorders record the target, and this one has joined them and waits until they stop; otherwise 0.")
	objects     = desc("objects", "Present objects that the target selects.")
	revisions   = desc("revisions_total", "Revisions that this recorder wrote.")
	transitions = desc("transitions_total", "Transitions that this recorder wrote.")
	duplicates  = desc("revisions_duplicate_total", "Revisions that the database had already, from another recorder or from before a restart.")
	known       = desc("revisions_known_total", fmt.Sprintf(deprecated, "vedette_record_revisions_duplicate_total")+"Revisions that the database had already.")
	batches     = desc("batches_total", "Committed batches, one transaction each.")
	retries     = desc("retries_total", "Failed attempts to write a batch.")
	conflicts   = desc("conflicts_total", "Attempts to write a batch that the database refused because of another transaction; they were repeated.")
	sizes       = desc("batch_revisions", "Revisions in a batch, including duplicates.")
	gaps        = desc("gaps_total", "Gaps that this recorder wrote, by cause.", "cause")
	storedLag   = desc("stored_lag_seconds", "Time from reading an event to the commit that contains it.")
	happenedLag = desc("happened_lag_seconds", "Time from a transition, as the object reports it, to the commit that contains it.")
	queued      = desc("queue_deltas", "Deltas that wait to be written.")
	queuedBytes = desc("queue_bytes", "Size of the deltas that wait to be written, in bytes.")
	spilled     = desc("spilled_bytes", "Size of the deltas that wait in the spill, in bytes.")
	resumeAge   = desc("resume_age_seconds", "Time since the resume point was stored.")
	version     = desc("resume_version", "Resume point: the version from which a recorder continues.")
	failing     = desc("failing_seconds", "Time since the first of the consecutive batches that could not be written; 0 if the last batch was written.")
	phase       = desc("phase", "1 for the current phase of the list and watch.", "phase")
	fault       = desc("fault", "1 for the current fault of the list and watch; not-started if recording could not start.", "fault")
	restarts    = desc("watch_restarts_total", "Watches that ended and were opened again.")
	relists     = desc("relists_total", "Lists after the first, by reason.", "reason")
	invalid     = desc("events_invalid_total", "Unusable objects in events and lists.")
	skipped     = desc("skipped_objects_total", "Objects in lists and events that the server sent although they are not in the UID range.")
	replaced    = clusterDesc("replaced_total", "Replacements of the cluster: a different cluster answered at the address.")
	rebuilt     = clusterDesc("rebuilt_total", fmt.Sprintf(deprecated, "vedette_record_replaced_total")+"Replacements of the cluster: a different cluster answered at the address.")
)

func clusterDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("vedette_record_"+name, help, []string{"cluster"}, nil)
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		ready, standby, objects, revisions, transitions, duplicates, known, batches, retries, conflicts, sizes, gaps, storedLag, happenedLag, queued, queuedBytes, spilled,
		resumeAge, version, failing, phase, fault, restarts, relists, invalid, skipped, replaced, rebuilt,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	now := time.Now()
	for _, h := range c.list() {
		for _, d := range []*prometheus.Desc{replaced, rebuilt} {
			out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(h.Replaced), h.Cluster)
		}
		for i := range h.Targets {
			t := &h.Targets[i]
			collect(target{out, []string{h.Cluster, t.Target.Type, t.Target.Namespace, selector(&t.Target)}}, t, now)
		}
	}
}

func selector(t *record.Target) string {
	text := strings.Trim(t.LabelSelector+" "+t.FieldSelector, " ")
	if !t.UIDs.IsAll() {
		text = strings.TrimLeft(text+" uids "+t.UIDs.String(), " ")
	}
	return text
}

// target sends the metrics of one target.
type target struct {
	out    chan<- prometheus.Metric
	labels []string
}

func (t target) send(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
	t.out <- prometheus.MustNewConstMetric(d, kind, v, append(append([]string{}, t.labels...), labels...)...)
}

func (t target) gauge(d *prometheus.Desc, v float64, labels ...string) {
	t.send(d, prometheus.GaugeValue, v, labels...)
}

func (t target) counter(d *prometheus.Desc, v uint64, labels ...string) {
	t.send(d, prometheus.CounterValue, float64(v), labels...)
}

// lag sends a histogram of durations.
func (t target) lag(d *prometheus.Desc, h *record.Histogram) {
	upTo, n := map[float64]uint64{}, uint64(0)
	for i, bound := range record.LagBounds {
		n += h.Buckets[i]
		upTo[bound.Seconds()] = n
	}
	t.out <- prometheus.MustNewConstHistogram(d, n+h.Buckets[len(record.LagBounds)], h.Sum.Seconds(), upTo, t.labels...)
}

func collect(m target, t *record.TargetHealth, now time.Time) {
	m.gauge(ready, one(t.Ready))
	m.gauge(standby, one(t.Standby))
	m.gauge(objects, float64(t.Objects))
	m.counter(revisions, uint64(t.Revisions))
	m.counter(transitions, uint64(t.Transitions))
	m.counter(duplicates, uint64(t.Duplicates))
	m.counter(known, uint64(t.Duplicates))
	m.counter(batches, t.Batches)
	m.counter(retries, t.Retries)
	m.counter(conflicts, t.Conflicts)
	collectSizes(m, t)
	for cause, n := range t.Gaps {
		m.counter(gaps, n, cause)
	}
	m.lag(storedLag, &t.Stored)
	m.lag(happenedLag, &t.Happened)
	m.gauge(queued, float64(t.Queued))
	m.gauge(queuedBytes, float64(t.QueuedBytes))
	m.gauge(spilled, float64(t.Spilled))
	if !t.CoveredAt.IsZero() {
		m.gauge(resumeAge, now.Sub(t.CoveredAt).Seconds())
		m.gauge(version, float64(t.Covered))
	}
	since := 0.0
	if !t.FailedSince.IsZero() {
		since = now.Sub(t.FailedSince).Seconds()
	}
	m.gauge(failing, since)
	r := &t.Reflector
	m.gauge(phase, 1, r.Phase.String())
	m.gauge(fault, 1, faultOf(t))
	m.counter(restarts, r.Restarts)
	m.counter(relists, r.Relists.Expired, "expired")
	m.counter(relists, r.Relists.Ahead, "ahead")
	m.counter(relists, r.Relists.Absent, "absent")
	m.counter(relists, r.Relists.Unordered, "unordered")
	m.counter(relists, r.Relists.Stuck, "stuck")
	m.counter(invalid, r.Invalid)
	m.counter(skipped, r.Skipped)
}

// faultOf returns the current fault of a target.
func faultOf(t *record.TargetHealth) string {
	if t.Err != nil && t.Reflector.Fault == reflector.NoFault {
		return "not-started"
	}
	return t.Reflector.Fault.String()
}

func collectSizes(m target, t *record.TargetHealth) {
	upTo, n := map[float64]uint64{}, uint64(0)
	for i, bound := range record.SizeBounds {
		n += t.Sizes[i]
		upTo[float64(bound)] = n
	}
	total := float64(t.Revisions + t.Duplicates)
	m.out <- prometheus.MustNewConstHistogram(sizes, n+t.Sizes[len(record.SizeBounds)], total, upTo, m.labels...)
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
