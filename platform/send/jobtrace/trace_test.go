package jobtrace_test

import (
	"testing"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// drawJob draws a job with hostile texts and impossible times.
func drawJob(t *rapid.T) (*history.Job, []model.FeedAmendment) {
	hostile := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.Just("\x1b]0;x\a<script>\xff"), rapid.Just(string(make([]byte, 100_000))), rapid.Just("日本語\xe6\x97"))
	instant := func(name string) time.Time {
		return time.Unix(rapid.Int64Range(-10, 2_000).Draw(t, name), 0)
	}
	j := &history.Job{
		Cluster: hostile.Draw(t, "cluster"), ClusterUID: hostile.Draw(t, "cluster UID"), Type: "jobs.batch", Kind: hostile.Draw(t, "kind"), Namespace: hostile.Draw(t, "namespace"),
		Name: hostile.Draw(t, "name"), UID: hostile.Draw(t, "UID"), State: rapid.SampledFrom([]string{"Failed", "Succeeded", "Deleted"}).Draw(t, "state"),
		Reason: hostile.Draw(t, "reason"), Message: hostile.Draw(t, "message"), Queue: hostile.Draw(t, "queue"), Submitter: hostile.Draw(t, "submitter"),
		Submitted: instant("submitted"), Ended: instant("ended"),
	}
	states := []job.State{job.Queued, job.Starting, job.Running, job.Restarting, ""}
	var entries []job.Transition
	for range rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(900, 1500)).Draw(t, "entries") {
		entries = append(entries, job.Transition{To: states[len(entries)*7%5], At: time.Unix(int64(len(entries)*3%2000), 0)})
	}
	j.Live(job.LifeOf(j.Submitted, entries, j.Ended))
	var amendments []model.FeedAmendment
	for i := range rapid.IntRange(0, 300).Draw(t, "amendments") {
		amendments = append(amendments, model.FeedAmendment{FeedEntry: model.FeedEntry{Kind: model.FeedLate}, From: j.Reason, RecordedAt: int64(i)})
	}
	return j, amendments
}

// TestTraceModel: the trace of any job can be encoded and is within the limits. Each span
// has its own ID, a parent that precedes it, and an end that is not before its beginning.
func TestTraceModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		j, amendments := drawJob(t)
		made := jobtrace.TraceOf(j, amendments)
		if _, err := proto.Marshal(&trace.TracesData{ResourceSpans: []*trace.ResourceSpans{made}}); err != nil {
			t.Fatal(err)
		}
		spans := made.ScopeSpans[0].Spans
		if len(spans) > jobtrace.MaxSpans || len(spans[0].Events) > jobtrace.MaxEvents {
			t.Fatalf("got %d spans and %d events, want both within the limits", len(spans), len(spans[0].Events))
		}
		ids := map[string]bool{}
		for i, s := range spans {
			if ids[string(s.SpanId)] || len(s.SpanId) != 8 || len(s.TraceId) != 16 || s.EndTimeUnixNano < s.StartTimeUnixNano {
				t.Fatalf("span %d is %v, want its own identifier, and an end after its begin", i, s)
			}
			if i > 0 && !ids[string(s.ParentSpanId)] {
				t.Fatalf("span %d has no parent", i)
			}
			ids[string(s.SpanId)] = true
			for _, a := range s.Attributes {
				if len(a.Value.GetStringValue()) > 3*jobtrace.MaxText {
					t.Fatalf("%s has %d bytes, want a bounded text", a.Key, len(a.Value.GetStringValue()))
				}
			}
		}
	})
}
