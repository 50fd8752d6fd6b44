package lives_test

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// trace asks for the trace of an ended job, by an exporter with a cursor at the oldest transition.
func (a *asked) trace() *answer {
	if !a.row.State.Final() {
		return nil
	}
	got := make(chan *trace.TracesData, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var data trace.TracesData
		if body, err := io.ReadAll(r.Body); err != nil || proto.Unmarshal(body, &data) != nil {
			a.Errorf("the request is no trace: %v", err)
		}
		got <- &data
	}))
	defer collector.Close()
	a.cursor()
	e, err := jobtrace.New(jobtrace.Config{DB: a.db, Endpoint: collector.URL, Plain: true, Logger: slog.New(slog.DiscardHandler)})
	a.must(err)
	stop := a.run(e.Run)
	defer stop()
	data := patience.Receive(a, "the trace", got, func() string { return "" })
	spans := data.ResourceSpans[0].ScopeSpans[0].Spans
	answer := &answer{}
	var all []*trace.Span
	for _, s := range spans {
		if strings.HasPrefix(s.Name, "attempt ") {
			all = append(all, s)
		}
		for _, v := range s.Attributes {
			switch v.Key {
			case "vedette.tries":
				answer.attempts = strconv.Itoa(int(v.Value.GetIntValue()))
			case "vedette.waited_seconds":
				answer.waited = strconv.Itoa(int(v.Value.GetDoubleValue()))
			case "vedette.ran_seconds":
				answer.ran = strconv.Itoa(int(v.Value.GetDoubleValue()))
			}
		}
	}
	slices.SortFunc(all, func(x, y *trace.Span) int { return cmp.Compare(x.StartTimeUnixNano, y.StartTimeUnixNano) })
	var texts []string
	for _, s := range all {
		var ran time.Duration
		for _, state := range spans {
			if state.Name == string(job.Running) && string(state.ParentSpanId) == string(s.SpanId) {
				ran += at(state.EndTimeUnixNano).Sub(at(state.StartTimeUnixNano))
			}
		}
		texts = append(texts, attemptText(at(s.StartTimeUnixNano), at(s.EndTimeUnixNano), seconds(ran)))
	}
	if answer.all = attemptList(texts); a.gaps != nil {
		answer.all = "" // gaps have no spans
	}
	return answer
}

func at(nanos uint64) time.Time { return time.Unix(0, int64(nanos)).UTC() }

// cursor creates the cursor of exporters at the beginning of the feed.
func (a *asked) cursor() {
	a.Helper()
	ctx, cancel := context.WithCancel(a.Context())
	consumer := feed.Consumer{Name: jobtrace.Cursor, Start: feed.Oldest, Batch: 1, Handle: func(context.Context, *sqldb.Tx, []feed.Transition) error {
		cancel()
		return context.Canceled
	}}
	if err := consumer.Run(ctx, a.db); err != nil {
		a.Fatal(err)
	}
}
