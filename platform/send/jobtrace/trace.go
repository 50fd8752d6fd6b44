package jobtrace

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
)

const (
	maxSpans  = 1000 // of a trace
	maxEvents = 200  // of the root span
)

// scopeName is the instrumentation scope of all spans.
const scopeName = module + "/record/jobtrace"

const module = "github.com/vedette-io/vedette"

// traceOf returns the trace of an ended job. base are the attributes that all resources
// share, and amendments are the amended transitions of the job.
func traceOf(j *history.Job, amendments []model.FeedAmendment, base attributes) *trace.ResourceSpans {
	b := &builder{job: j, id: traceID(j.ClusterUID, j.UID)}
	b.start, b.end = j.Submitted, j.Ended
	if len(j.Life) > 0 && (b.start.Unix() <= 0 || j.Life[0].From.Before(b.start)) {
		b.start = j.Life[0].From
	}
	if b.start.Unix() <= 0 || b.end.Before(b.start) {
		b.start = b.end // the beginning is unknown, or clocks differ
	}
	root := b.root()
	b.spans = append(b.spans, root)
	b.states()
	b.gaps(root)
	for i := range amendments {
		b.amend(root, &amendments[i])
	}
	slices.SortStableFunc(root.Events, func(x, y *trace.Span_Event) int { return cmp.Compare(x.TimeUnixNano, y.TimeUnixNano) })
	if n := len(root.Events) - maxEvents; n > 0 {
		root.Events, root.DroppedEventsCount = root.Events[:maxEvents], uint32(n)
	}
	return &trace.ResourceSpans{
		Resource:   &resource.Resource{Attributes: b.resource(base)},
		ScopeSpans: []*trace.ScopeSpans{{Scope: &common.InstrumentationScope{Name: scopeName}, Spans: b.spans}},
	}
}

// builder builds the trace of one job.
type builder struct {
	job        *history.Job
	id         []byte
	start, end time.Time
	spans      []*trace.Span
}

// resource returns the attributes of the job, by the conventions for Kubernetes.
func (b *builder) resource(base attributes) attributes {
	a := slices.Clone(base)
	a.text("k8s.cluster.name", b.job.Cluster)
	a.text("k8s.cluster.uid", b.job.ClusterUID)
	a.text("k8s.namespace.name", b.job.Namespace)
	a.text("k8s.job.name", b.job.Name)
	a.text("k8s.job.uid", b.job.UID)
	return a
}

// span returns a span between two times. The end is never before the beginning.
func (b *builder) span(kind string, n int, name string, from, to time.Time) *trace.Span {
	return &trace.Span{
		TraceId: b.id, SpanId: spanID(b.id, kind, n), Name: clean(name), Kind: trace.Span_SPAN_KIND_INTERNAL, Flags: sampled,
		StartTimeUnixNano: nanos(from), EndTimeUnixNano: nanos(to),
	}
}

// sampled is the flag of W3C traces.
const sampled = 1

// nanos returns a time in the form of OTLP. Times before 1970 are 0.
func nanos(t time.Time) uint64 {
	if t.Unix() <= 0 {
		return 0
	}
	return uint64(t.UnixNano())
}

func (b *builder) root() *trace.Span {
	j := b.job
	s := b.span(rootSpan, 0, j.Kind, b.start, b.end)
	var a attributes
	a.text("vedette.type", j.Type)
	a.text("vedette.state", j.State)
	a.text("vedette.raw_state", j.Raw)
	a.text("vedette.reason", j.Reason)
	a.text("vedette.message", j.Message)
	a.text("vedette.queue", j.Queue)
	a.text("vedette.owner", j.Submitter)
	a.text("k8s.node.name", j.Node)
	if j.Asks {
		a.number("vedette.gpus", j.GPUs)
		a.number("vedette.pods", j.Pods)
	}
	a.number("vedette.tries", j.Tries)
	a.seconds("vedette.waited_seconds", j.WaitedSeconds)
	a.seconds("vedette.ran_seconds", j.RanSeconds)
	s.Attributes, s.Status = a, statusOf(j)
	return s
}

// statusOf returns the status of a span for a job that succeeded or failed. A cancelled or
// deleted job has no status.
func statusOf(j *history.Job) *trace.Status {
	switch job.State(j.State) {
	case job.Succeeded:
		return &trace.Status{Code: trace.Status_STATUS_CODE_OK}
	case job.Failed:
		return &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: clean(cmp.Or(j.Message, j.Reason))}
	}
	return &trace.Status{}
}

// states adds a span for each attempt and each state. The parent of a state's span is the
// span of its attempt; states between two attempts have the root span. Gaps have no spans.
func (b *builder) states() {
	root := b.spans[0]
	times, attempts := map[int]job.Attempt{}, map[int]*trace.Span{}
	for a := range job.Attempts(b.job.Life) {
		times[a.Number] = a
	}
	for n, s := range b.job.Life {
		if len(b.spans)+2 > maxSpans {
			(*attributes)(&root.Attributes).number("vedette.omitted_states", len(b.job.Life)-n)
			return
		}
		if s.Gap {
			continue
		}
		if a, ok := times[s.Attempt]; ok && attempts[s.Attempt] == nil {
			attempt := b.span(attemptSpan, s.Attempt, "attempt "+strconv.Itoa(s.Attempt), a.From, a.To)
			attempt.ParentSpanId = root.SpanId
			(*attributes)(&attempt.Attributes).number("vedette.attempt", s.Attempt)
			attempts[s.Attempt], b.spans = attempt, append(b.spans, attempt)
		}
		parent := root
		if s.InAttempt() {
			parent = attempts[s.Attempt]
		}
		span := b.span(stateSpan, n, cmp.Or(string(s.State), "no state"), s.From, s.To)
		span.ParentSpanId = parent.SpanId
		a := (*attributes)(&span.Attributes)
		a.text("vedette.state", string(s.State))
		if s.Inferred {
			a.truth("vedette.inferred", true)
		}
		b.spans = append(b.spans, span)
	}
}

// gaps adds an event for each gap in the observation of the job.
func (b *builder) gaps(root *trace.Span) {
	for _, s := range b.job.Life {
		if !s.Gap {
			continue
		}
		var a attributes
		a.text("vedette.gap.ended", s.To.UTC().Format(time.RFC3339Nano))
		a.seconds("vedette.gap.seconds", s.To.Sub(s.From).Seconds())
		a.text("vedette.state", string(s.State))
		root.Events = append(root.Events, &trace.Span_Event{TimeUnixNano: nanos(s.From), Name: "gap", Attributes: a})
	}
}

// amend adds an event for a late, corrected or withdrawn transition.
func (b *builder) amend(root *trace.Span, m *model.FeedAmendment) {
	name, stored := "transition corrected", m.HappenedAt != 0
	switch {
	case !stored && m.Kind != model.FeedWithdrawn:
		return // a later entry withdraws it
	case !stored:
		name = "transition withdrawn"
	case m.Kind == model.FeedLate:
		name = "transition late"
	}
	var a attributes
	a.text("vedette.version", m.Version.String())
	a.text("vedette.from", m.From)
	a.text("vedette.state", m.To)
	a.text("vedette.recorded", model.Time(m.RecordedAt).UTC().Format(time.RFC3339Nano))
	at := m.HappenedAt
	if !stored {
		at = m.RecordedAt
	}
	root.Events = append(root.Events, &trace.Span_Event{TimeUnixNano: nanos(model.Time(at)), Name: name, Attributes: a})
}
