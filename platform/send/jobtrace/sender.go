package jobtrace

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
)

const (
	// timeout limits one request.
	timeout = 30 * time.Second
	// The delay between attempts doubles from firstRetry to lastRetry.
	firstRetry = 200 * time.Millisecond
	lastRetry  = time.Minute
)

// Stats counts the work of an Exporter since it was created.
type Stats struct {
	Traces   int // accepted by a collector, including repetitions
	Refused  int // traces that a collector refused; they are not sent again
	Rejected int // spans that a collector rejected in accepted requests
	Retries  int // requests that failed and were sent again
	// FailingSince is the time when the collector began to fail. It is zero while the
	// collector accepts requests.
	FailingSince time.Time
}

// sender sends traces to one collector. One goroutine calls send.
type sender struct {
	client *http.Client
	url    *url.URL
	header http.Header
	plain  bool // do not compress requests
	fault  *faultlog.Reporter

	mu    sync.Mutex
	stats Stats
}

func newSender(u *url.URL, c *Config, logger func() *slog.Logger) *sender {
	// A redirect could carry the header to another server.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = c.TLS
	client := &http.Client{
		Timeout:       timeout,
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &sender{client: client, url: u, header: c.Header, plain: c.Plain, fault: &faultlog.Reporter{
		Fault: "cannot export traces", Over: "exporting traces again", Logger: logger, Attrs: []any{"collector", u.Host},
	}}
}

// send returns when the collector has accepted or refused all traces. Without traces it
// returns when the collector answers.
//
// Errors: the cause of ctx.
func (s *sender) send(ctx context.Context, traces []*trace.ResourceSpans) error {
	// An ExportTraceServiceRequest has the same encoding as TracesData, but its package
	// requires gRPC.
	body, err := proto.Marshal(&trace.TracesData{ResourceSpans: traces})
	if err != nil {
		s.refused(len(traces), err) // infeasible: all text passes through clean
		return nil
	}
	for failed := 0; ; failed++ {
		a := s.post(ctx, body)
		switch {
		case a.err == nil:
			s.took(len(traces), &a)
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case a.encoding && !s.plain:
			s.plain = true
			continue
		case a.refused && len(traces) > 1:
			half := len(traces) / 2
			if err := s.send(ctx, traces[:half]); err != nil {
				return err
			}
			return s.send(ctx, traces[half:])
		case a.refused:
			s.refused(len(traces), a.err)
			return nil
		}
		s.failed(&a)
		if err := pause.For(ctx, max(a.after, backoff(failed))); err != nil {
			return err
		}
	}
}

// post sends one request.
func (s *sender) post(ctx context.Context, body []byte) answer {
	if !s.plain {
		body = compress(body)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), bytes.NewReader(body))
	if err != nil {
		return unreachable(err)
	}
	maps.Copy(r.Header, s.header)
	r.Header.Set("Content-Type", contentType)
	if !s.plain {
		r.Header.Set("Content-Encoding", "gzip")
	}
	r.Header.Set("User-Agent", "vedette-otlp-exporter")
	response, err := s.client.Do(r)
	if err != nil {
		return unreachable(err)
	}
	defer response.Body.Close()
	return answerOf(response, time.Now())
}

// compress returns a text in gzip.
func compress(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text) // writing to a buffer never fails
	_ = w.Close()
	return b.Bytes()
}

func (s *sender) took(traces int, a *answer) {
	s.mu.Lock()
	s.stats.Traces += traces
	s.stats.Rejected += int(a.rejected)
	s.stats.FailingSince = time.Time{}
	s.mu.Unlock()
	if a.rejected > 0 {
		s.fault.See(faultlog.State{Kind: "rejected", Err: errors.New("the collector rejected spans: " + a.message)})
		return
	}
	s.fault.See(faultlog.State{})
}

func (s *sender) refused(traces int, err error) {
	s.mu.Lock()
	s.stats.Refused += traces
	s.stats.FailingSince = time.Time{}
	s.mu.Unlock()
	if traces > 0 {
		s.fault.See(faultlog.State{Kind: "refused", Err: err, Remedy: "the trace is not sent again; see the log of the collector for the reason"})
	}
}

func (s *sender) failed(a *answer) {
	s.mu.Lock()
	s.stats.Retries++
	if s.stats.FailingSince.IsZero() {
		s.stats.FailingSince = time.Now()
	}
	s.mu.Unlock()
	s.fault.See(faultlog.State{Kind: "collector", Err: a.err})
}

// current returns the counters.
func (s *sender) current() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// backoff returns the delay after some failures, with 25% jitter.
func backoff(failed int) time.Duration {
	d := min(firstRetry<<min(failed, 20), lastRetry)
	return d - rand.N(d/4)
}
