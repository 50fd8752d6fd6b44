package jobtrace

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// The limits of a trace.
const (
	MaxSpans  = maxSpans
	MaxEvents = maxEvents
	MaxText   = maxText
)

// TraceOf makes the trace of a job.
func TraceOf(j *history.Job, amendments []model.FeedAmendment) *trace.ResourceSpans {
	return traceOf(j, amendments, nil)
}

// PartialSuccess decodes an answer.
func PartialSuccess(body []byte) (int64, string) { return partialSuccess(body) }

// Sender is a sender with another transport.
type Sender struct{ s *sender }

// NewSender returns a sender.
func NewSender(transport http.RoundTripper, header http.Header, log *slog.Logger) *Sender {
	s := newSender(&url.URL{Scheme: "http", Host: "collector", Path: tracesPath}, &Config{Header: header}, func() *slog.Logger { return log })
	s.client.Transport = transport
	return &Sender{s}
}

// Send sends traces.
func (s *Sender) Send(ctx context.Context, traces []*trace.ResourceSpans) error {
	return s.s.send(ctx, traces)
}

// Stats returns the counters.
func (s *Sender) Stats() Stats { return s.s.current() }

// Stop ends the log.
func (s *Sender) Stop() { s.s.fault.Stop() }

// SendTo sends one trace to the collector of a configuration.
func SendTo(ctx context.Context, c Config) (Stats, error) {
	u, err := c.target()
	if err != nil {
		return Stats{}, err
	}
	s := newSender(u, &c, func() *slog.Logger { return slog.New(slog.DiscardHandler) })
	defer s.client.CloseIdleConnections()
	defer s.fault.Stop()
	err = s.send(ctx, []*trace.ResourceSpans{{}})
	return s.current(), err
}
