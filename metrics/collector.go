package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/informer"
)

// Collector is a prometheus.Collector of informers. Create it with New.
type Collector struct {
	list func() []informer.Info
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector of the informers that list returns, such as the method
// List of a factory. It is called at each collection, on any goroutine.
func New(list func() []informer.Info) *Collector { return &Collector{list} }

// desc describes a metric that has the label of the informer in addition to its own labels.
var desc = about("informer_", "informer")

var (
	objects      = desc("objects", "Objects in the store.")
	rawBytes     = desc("raw_bytes", "Size of the bodies of all objects as the server sent them, in bytes.")
	heldBytes    = desc("held_bytes", "Memory of the packed objects, in bytes.")
	dictionaries = desc("dictionaries_total", "Dictionaries that were trained to pack objects.")
	queued       = desc("queue_deltas", "Deltas that wait before the store.")
	queuedBytes  = desc("queue_bytes", "Size of the deltas that wait before the store, in bytes.")
	decodes      = desc("decodes_total", "Objects that were decoded.")
	dropped      = desc("deltas_dropped_total", "Deltas that were not applied: stale ones, unchanged ones of a list, and those that a transform rejected.", "reason")
	undecoded    = desc("objects_undecoded_total", "Objects for which Config.Decode or KeepObject failed.")
	users        = desc("users", "Users that share the informer.")
	storeLag     = desc("store_lag_seconds", "Time from reading an event from the connection until the store shows it.")
	handlerLag   = desc("handler_lag_seconds", "Time from reading an event from the connection to the call of a handler.")

	version    = desc("resource_version", "Last resourceVersion that was seen.", "scope")
	synced     = desc("synced", "1 if a first list has been applied.", "scope")
	phase      = desc("phase", "1 for the phase that the list and watch is in.", "scope", "phase")
	fault      = desc("fault", "1 for the current fault.", "scope", "fault")
	restarts   = desc("watch_restarts_total", "Watches that ended and were opened again.", "scope")
	relists    = desc("relists_total", "Lists after the first, by reason.", "scope", "reason")
	invalid    = desc("events_invalid_total", "Events that could not be used.", "scope")
	outOfOrder = desc("events_out_of_order_total", "Events that were not newer than one before them.", "scope")

	handled  = desc("handler_events_total", "Events for which a handler was called.", "handler")
	failures = desc("handler_failures_total", "Calls of a handler that failed, panics included.", "handler")
	panics   = desc("handler_panics_total", "Calls of a handler that panicked.", "handler")
	behind   = desc("handler_behind", "1 while more changes wait for a handler than the backlog holds, so that those of one object are folded.", "handler")
	folded   = desc("handler_changes_folded_total", "Changes that came while a handler was behind.", "handler")
	unknown  = desc("handler_objects_unreported_total", "Objects that were created and deleted while a handler was behind, and were too many to report.", "handler")
	waiting  = desc("handler_waiting_events", "Events that were taken for a handler and not handled yet.", "handler")
)

// Describe implements prometheus.Collector.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		objects, rawBytes, heldBytes, dictionaries, queued, queuedBytes, decodes, dropped, undecoded, users, storeLag, handlerLag,
		version, synced, phase, fault, restarts, relists, invalid, outOfOrder,
		handled, failures, panics, waiting, behind, folded, unknown,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	names := names{}
	for _, r := range c.list() {
		collect(metricsOf{out, names.of(nameOf(&r))}, &r)
	}
}

// nameOf is the name of an informer in labels.
func nameOf(r *informer.Info) string {
	parts := []string{r.Resource}
	if len(r.Namespaces) > 0 {
		parts = append(parts, "in "+strings.Join(r.Namespaces, ","))
	}
	for _, s := range []string{r.LabelSelector, r.FieldSelector} {
		if s != "" {
			parts = append(parts, "with "+s)
		}
	}
	return strings.Join(parts, " ")
}

// collect sends all metrics of one informer.
func collect(m metricsOf, r *informer.Info) {
	m.gauge(objects, float64(r.Stats.Objects))
	m.gauge(rawBytes, float64(r.Stats.RawBytes))
	m.gauge(heldBytes, float64(r.Stats.HeldBytes))
	m.counter(dictionaries, uint64(r.Stats.Dictionaries))
	m.gauge(queued, float64(r.Stats.Queued))
	m.gauge(queuedBytes, float64(r.Stats.QueuedBytes))
	m.counter(decodes, r.Stats.Decodes)
	m.counter(dropped, r.Stats.Stale, "stale")
	m.counter(dropped, r.Stats.Unchanged, "unchanged")
	m.counter(dropped, r.Stats.Refused, "refused")
	m.counter(undecoded, r.Stats.Undecoded)
	m.gauge(users, float64(r.Users))
	m.histogram(storeLag, informer.LagBounds[:], r.Health.Stored.Buckets[:], r.Health.Stored.Sum)
	m.histogram(handlerLag, informer.LagBounds[:], r.Health.Handled.Buckets[:], r.Health.Handled.Sum)
	for i := range r.Health.Scopes {
		collectScope(m, &r.Health.Scopes[i])
	}
	for _, h := range r.Health.Handlers {
		m.counter(handled, h.Handled, h.Name)
		m.counter(failures, h.Failures, h.Name)
		m.counter(panics, h.Panics, h.Name)
		m.gauge(waiting, float64(h.Waiting), h.Name)
		late := 0.0
		if h.Lag.Behind {
			late = 1
		}
		m.gauge(behind, late, h.Name)
		m.counter(folded, h.Lag.Folded, h.Name)
		m.counter(unknown, h.Lag.Unreported, h.Name)
	}
}

func collectScope(m metricsOf, h *informer.ScopeHealth) {
	scope := h.Scope.String()
	m.gauge(version, float64(h.Version), scope)
	done := 0.0
	if h.Synced {
		done = 1
	}
	m.gauge(synced, done, scope)
	m.gauge(phase, 1, scope, h.Phase.String())
	m.gauge(fault, 1, scope, h.Fault.String())
	m.counter(restarts, h.Restarts, scope)
	m.counter(relists, h.Relists.Expired, scope, "expired")
	m.counter(relists, h.Relists.Ahead, scope, "ahead")
	m.counter(relists, h.Relists.Absent, scope, "absent")
	m.counter(relists, h.Relists.Unordered, scope, "unordered")
	m.counter(relists, h.Relists.Stuck, scope, "stuck")
	m.counter(relists, h.Relists.Replaced, scope, "replaced")
	m.counter(invalid, h.Invalid, scope)
	m.counter(outOfOrder, h.OutOfOrder, scope)
}
