package jobtrace

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Cursor is the name of the feed cursor of exporters.
const Cursor = "traces"

const (
	feedBatch     = 200
	requestTraces = 32
	requestSpans  = 2000
)

// Exporter exports the jobs of a database as traces. Create it with New.
type Exporter struct {
	c       Config
	history *history.History
	sender  *sender
	base    attributes // attributes of all resources
}

// New returns an exporter. It sends nothing before Run.
//
// Errors: invalid settings.
func New(c Config) (*Exporter, error) {
	u, err := c.target()
	if err != nil {
		return nil, err
	}
	e := &Exporter{c: c, history: history.New(c.DB)}
	e.sender = newSender(u, &c, e.logger)
	e.base.text("service.name", cmp.Or(c.ServiceName, "vedette"))
	for _, name := range slices.Sorted(maps.Keys(c.Resource)) {
		e.base.text(clean(name), c.Resource[name])
	}
	return e, nil
}

func (e *Exporter) logger() *slog.Logger {
	if e.c.Logger != nil {
		return e.c.Logger
	}
	return slog.Default()
}

// Stats returns the counters of the exporter. It is safe for concurrent use.
func (e *Exporter) Stats() Stats { return e.sender.current() }

// lease is the time after which another exporter of the database takes over from one that hangs.
const lease = 15 * time.Second

// Run exports jobs that end, until ctx ends, and then returns nil. It blocks. Of several exporters
// of a database one exports, and another one takes over when it stops. The first
// exporter of a database begins with the transitions that are committed after its start; a
// later one continues where the previous one stopped.
//
// Faults of the database and of the collector do not end Run. If the cursor has expired,
// Run waits for the collector, and continues with the oldest transition of the feed. If the
// cursor was removed, Run starts over like the first exporter.
//
// Errors: an invalid field, as in feed.Consumer.Run.
func (e *Exporter) Run(ctx context.Context) error {
	defer e.sender.fault.Stop()
	defer e.sender.client.CloseIdleConnections()
	consumer := feed.Consumer{
		Name: Cursor, Start: feed.Now, Batch: feedBatch, Lease: lease, Logger: e.c.Logger, Prepare: e.export,
		Handle: func(context.Context, *sqldb.Tx, []feed.Transition) error { return nil },
	}
	for {
		err := consumer.Run(ctx, e.c.DB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, feed.ErrExpired):
			if !e.restart(ctx, err) {
				return nil
			}
		case errors.Is(err, feed.ErrNoCursor):
			e.logger().Warn("the traces cursor was removed; only jobs that end from now on are exported", "cursor", Cursor)
		default:
			return err
		}
	}
}

// restart moves an expired cursor once the collector answers. It returns false if ctx has
// ended.
func (e *Exporter) restart(ctx context.Context, why error) bool {
	e.logger().Warn("jobs that ended long ago may lack a trace", "err", why)
	for failed := 0; ; failed++ {
		err := e.sender.send(ctx, nil)
		if err == nil {
			err = feed.Reset(ctx, e.c.DB, Cursor, feed.Oldest)
		}
		switch {
		case err == nil, errors.Is(err, feed.ErrNoCursor):
			return true
		case pause.For(ctx, backoff(failed)) != nil:
			return false
		}
	}
}

// export sends the traces of the jobs that some transitions ended, or changed after their
// end. It returns when the collector has accepted or refused all of them.
//
// Errors: those of the database; the cause of ctx.
func (e *Exporter) export(ctx context.Context, some []feed.Transition) error {
	var traces []*trace.ResourceSpans
	spans := 0
	flush := func() error {
		if len(traces) == 0 {
			return nil
		}
		err := e.sender.send(ctx, traces)
		traces, spans = nil, 0
		return err
	}
	seen := map[int64]bool{}
	for i := range some {
		t := &some[i]
		if seen[t.Object.ID] || !ends(t) {
			continue
		}
		seen[t.Object.ID] = true
		made, err := e.trace(ctx, t.Object.ID)
		if err != nil {
			return err
		}
		if made == nil {
			continue
		}
		n := len(made.ScopeSpans[0].Spans)
		if len(traces) == requestTraces || spans+n > requestSpans {
			if err := flush(); err != nil {
				return err
			}
		}
		traces, spans = append(traces, made), spans+n
	}
	return flush()
}

// ends reports whether a transition may end a job, or change a job after its end. The
// deletion of an ended job does not change its trace.
func ends(t *feed.Transition) bool {
	if !job.IsJobType(t.Object.Type.String()) || slices.Contains(job.Parents(), t.Object.Owner.Kind) {
		return false
	}
	return t.Kind != feed.New || t.To.Final() && (t.To != job.Deleted || !t.From.Final())
}

// trace returns the trace of a job. It returns nil if the job has not ended or is no longer
// recorded.
func (e *Exporter) trace(ctx context.Context, object int64) (*trace.ResourceSpans, error) {
	ctx, done := e.c.DB.Bounded(ctx)
	defer done()
	j, err := e.history.Job(ctx, object, time.Now())
	switch {
	case errors.Is(err, history.ErrUnknown):
		return nil, nil
	case err != nil:
		return nil, err
	case j.Open():
		return nil, nil
	}
	var amendments []model.FeedAmendment
	err = model.FeedAmendments(ctx, e.c.DB, object, maxEvents, func(m model.FeedAmendment) { amendments = append(amendments, m) })
	if err != nil {
		return nil, e.c.DB.Explain(err)
	}
	return traceOf(&j, amendments, e.base), nil
}
