package jobtrace_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// describe returns the spans and events of a trace, with times as versions.
func describe(r *trace.ResourceSpans) (all []string) {
	version := func(nanos uint64) int64 {
		return int64(time.Unix(0, int64(nanos)).Sub(modeltest.Seen(0)) / time.Second)
	}
	names := map[string]string{"": ""}
	for _, s := range r.ScopeSpans[0].Spans {
		names[string(s.SpanId)] = s.Name
		all = append(all, fmt.Sprintf("%s<%s %d-%d", s.Name, names[string(s.ParentSpanId)], version(s.StartTimeUnixNano), version(s.EndTimeUnixNano)))
		for _, e := range s.Events {
			all = append(all, fmt.Sprintf("event %s %d", e.Name, version(e.TimeUnixNano)))
		}
	}
	return all
}

// want compares a trace with lines of describe.
func (d *database) want(r *trace.ResourceSpans, want ...string) {
	d.Helper()
	if got := describe(r); !slices.Equal(got, want) {
		d.Errorf("got trace\n%q\nwant\n%q", got, want)
	}
}

// TestExport: a job that ends becomes a trace, with its attempts, states, attributes and
// computed IDs. Open jobs, and deletions after the end, cause none.
func TestExport(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		stop := d.start()
		defer stop()
		d.put("open", 1, job.Queued, job.Running)
		d.put("a", 10, job.Queued, job.Running, job.Restarting, job.Running, job.Failed)
		r := d.collector.until(t, 1)[0]
		d.want(r, "Job< 10-14", "Queued<Job 10-11", "attempt 1<Job 11-12", "Running<attempt 1 11-12", "Restarting<Job 12-13",
			"attempt 2<Job 13-14", "Running<attempt 2 13-14")
		root := r.ScopeSpans[0].Spans[0]
		if got := hex.EncodeToString(root.TraceId); got != jobtrace.TraceID("uid-a", "a") || hex.EncodeToString(root.SpanId) != jobtrace.SpanID("uid-a", "a") {
			t.Errorf("got trace %s and span %x, want those of job a", got, root.SpanId)
		}
		for name, want := range map[string]string{"k8s.cluster.name": "a", "k8s.cluster.uid": "uid-a", "k8s.namespace.name": "ml", "k8s.job.name": "job-a", "k8s.job.uid": "a", "service.name": "vedette", "site": "north"} {
			if got := text(r.Resource.Attributes, name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if text(root.Attributes, "vedette.state") != "Failed" || text(root.Attributes, "vedette.type") != "jobs.batch" || root.Status.Code != trace.Status_STATUS_CODE_ERROR {
			t.Errorf("got root span %v", root)
		}
		gpus := slices.IndexFunc(root.Attributes, func(a *common.KeyValue) bool { return a.Key == "vedette.gpus" && a.Value.GetIntValue() == 8 })
		if gpus < 0 {
			t.Errorf("no 8 GPUs in %v", root.Attributes)
		}
		d.put("a", 15, job.Deleted)
		d.put("b", 20, job.Queued, job.Aborted)
		d.collector.until(t, 2)
		if got := d.collector.names(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("got traces %q, want a and b", got)
		}
	})
}

// TestOutage: while the collector is unavailable, the recorder continues to write, and the
// cursor stays. A killed exporter loses nothing. The fault is logged in one line.
func TestOutage(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		away := func(http.ResponseWriter, *trace.TracesData) int { return http.StatusServiceUnavailable }
		d.collector.set(away)
		stop := d.start()
		d.put("a", 1, job.Running, job.Succeeded)
		for range 3 {
			d.collector.asked(t)
		}
		d.put("b", 3, job.Running, job.Succeeded)
		stop()
		if n := d.log.count("cannot export traces"); n != 1 {
			t.Errorf("got %d lines about the fault, want 1:\n%v", n, d.log)
		}
		d.Want("SELECT COUNT(*) FROM transitions", "4")
		d.collector.set(nil)
		stop = d.start()
		d.collector.until(t, 2)
		d.Until("SELECT position FROM feed_cursors", "4")
		stop()
		d.put("c", 5, job.Running, job.Succeeded) // between two exporters
		stop = d.start()
		d.collector.until(t, 3)
		stop()
		if got := d.collector.names(); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("got traces %q, want a, b and c", got)
		}
	})
}

// TestReplicas: of two exporters one exports, so each trace is sent once; when it stops, the other
// one takes over at once.
func TestReplicas(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		stopOne, stopTwo := d.start(), d.start()
		const jobs = 12
		for i := range jobs {
			d.put(fmt.Sprint("a", i), wire.Version(10*i+1), job.Running, job.Succeeded)
			d.collector.until(t, i+1)
		}
		d.Until("SELECT position FROM feed_cursors", fmt.Sprint(2*jobs))
		stopOne()
		d.put("b", 1000, job.Running, job.Succeeded)
		d.collector.until(t, jobs+1)
		d.Until("SELECT position FROM feed_cursors", fmt.Sprint(2*jobs+2))
		stopTwo()
		if n := len(d.collector.names()); n != jobs+1 {
			t.Errorf("got %d traces of %d jobs", n, jobs+1)
		}
	})
}

// TestKilledBeforeCommit: an exporter that ends between the answer of the collector and the
// commit of the cursor repeats the trace with the same IDs.
func TestKilledBeforeCommit(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		e, err := jobtrace.New(jobtrace.Config{DB: d.DB, Endpoint: d.collector.URL, Logger: d.log.logger()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, kill := context.WithCancel(t.Context())
		d.collector.set(func(http.ResponseWriter, *trace.TracesData) int { kill(); return http.StatusOK })
		d.put("a", 1, job.Running, job.Succeeded)
		if err := e.Run(ctx); err != nil {
			t.Fatal(err)
		}
		d.Want("SELECT position FROM feed_cursors", "0")
		d.collector.set(nil)
		stop := d.start()
		all := d.collector.until(t, 2)
		stop()
		first, second := all[0].ScopeSpans[0].Spans, all[1].ScopeSpans[0].Spans
		for i := range first {
			if string(first[i].SpanId) != string(second[i].SpanId) || string(first[i].TraceId) != string(second[i].TraceId) {
				t.Errorf("%v became %v, want the same identifiers", first[i], second[i])
			}
		}
	})
}

// correct changes transitions like a recorder that backfills.
func (d *database) correct(kind model.FeedKind, uid string, version wire.Version, statement string, args ...any) {
	d.Helper()
	err := d.Transact(d.Context(), func(tx *sqldb.Tx) error {
		var object int64
		if err := tx.QueryRow(d.Context(), "SELECT id FROM objects WHERE uid = ?", uid).Scan(&object); err != nil {
			return err
		}
		if _, err := tx.Exec(d.Context(), statement, append(args, object)...); err != nil {
			return err
		}
		return model.InsertOutbox(d.Context(), tx, []model.FeedEntry{{RevisionID: model.RevisionID{Object: object, Version: version}, Kind: kind}})
	})
	if err != nil {
		d.Fatal(err)
	}
}

// TestCorrected: a job whose transitions change after its end is exported again, with the same
// IDs and with an event.
func TestCorrected(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		stop := d.start()
		defer stop()
		d.put("a", 1, job.Queued)
		d.put("a", 5, job.Succeeded)
		first := d.collector.until(t, 1)[0]
		d.want(first, "Job< 1-5", "Queued<Job 1-5")
		at := model.Micros(modeltest.Seen(3))
		d.correct(model.FeedLate, "a", 3, "INSERT INTO transitions (version, from_state, to_state, from_raw_state, to_raw_state, reason, message, happened_at, seen_at, source, object_id)"+
			" VALUES (3, 'Queued', 'Running', '', '', '', '', ?, ?, 1, ?)", at, at)
		second := d.collector.until(t, 2)[1]
		d.want(second, "Job< 1-5", "event transition late 3", "Queued<Job 1-3", "attempt 1<Job 3-5", "Running<attempt 1 3-5")
		if string(first.ScopeSpans[0].Spans[1].SpanId) != string(second.ScopeSpans[0].Spans[1].SpanId) {
			t.Error("the ID of the first state has changed")
		}
		d.correct(model.FeedCorrected, "a", 3, "UPDATE transitions SET happened_at = ? WHERE version = 3 AND object_id = ?", model.Micros(modeltest.Seen(2)))
		d.want(d.collector.until(t, 3)[2], "Job< 1-5", "event transition late 2", "event transition corrected 2", "Queued<Job 1-2",
			"attempt 1<Job 2-5", "Running<attempt 1 2-5")
		d.correct(model.FeedWithdrawn, "a", 3, "DELETE FROM transitions WHERE version = 3 AND object_id = ?")
		fourth := d.collector.until(t, 4)[3]
		events := fourth.ScopeSpans[0].Spans[0].Events
		if len(events) != 1 || events[0].Name != "transition withdrawn" || text(events[0].Attributes, "vedette.version") != "3" {
			t.Errorf("got events %v, want one withdrawn transition of version 3", events)
		}
	})
}

// TestGap: a gap is an event, and no state covers it.
func TestGap(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			g := model.Gap{Cause: model.CauseWindow, From: 3, To: 6, FromAt: modeltest.Seen(3), ToAt: modeltest.Seen(6)}
			return model.InsertGap(t.Context(), tx, d.Scope, "r", g)
		})
		if err != nil {
			t.Fatal(err)
		}
		d.put("a", 1, job.Queued, job.Running)
		d.put("a", 9, job.Succeeded)
		stop := d.start()
		defer stop()
		d.want(d.collector.until(t, 1)[0], "Job< 1-9", "event gap 3", "Queued<Job 1-2", "attempt 1<Job 2-9", "Running<attempt 1 2-3", "Running<attempt 1 6-9")
	})
}

// TestExpired: an expired cursor stays expired while the collector is unavailable, so that
// it does not block retention, and is moved when the collector answers.
func TestExpired(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.collector.set(func(http.ResponseWriter, *trace.TracesData) int { return http.StatusBadGateway })
		d.put("a", 1, job.Running, job.Succeeded)
		d.Until("SELECT COUNT(*) FROM feed_outbox", "2")
		d.Exec("UPDATE feed_cursors SET expired_at = 1")
		stop := d.start()
		for range 3 {
			d.collector.asked(t)
		}
		d.Want("SELECT expired_at FROM feed_cursors", "1")
		d.collector.set(nil)
		d.collector.until(t, 1)
		d.Until("SELECT expired_at, position FROM feed_cursors", "0 2")
		d.Exec("DELETE FROM feed_cursors")
		d.Until("SELECT expired_at, position FROM feed_cursors", "0 2")
		d.put("b", 3, job.Running, job.Succeeded)
		d.collector.until(t, 2)
		stop()
	})
}

// TestRefused: if the collector refuses a trace, only that trace is dropped.
func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.collector.set(func(_ http.ResponseWriter, got *trace.TracesData) int {
			for _, r := range got.ResourceSpans {
				if text(r.Resource.Attributes, "k8s.job.uid") == "bad" {
					return http.StatusBadRequest
				}
			}
			return http.StatusOK
		})
		d.put("a", 1, job.Running, job.Succeeded)
		d.put("bad", 3, job.Running, job.Succeeded)
		d.put("c", 5, job.Running, job.Succeeded)
		stop := d.start()
		d.collector.until(t, 2)
		d.Until("SELECT position FROM feed_cursors", "6")
		stop()
		if got := d.collector.names(); !slices.Equal(got, []string{"a", "c"}) || d.log.count("400 Bad Request") != 1 {
			t.Errorf("got traces %q and log\n%v", got, d.log)
		}
	})
}

// TestResumed: a job that continues after its end, and an open job that is corrected, make no
// trace before their ends.
func TestResumed(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.put("resumed", 1, job.Running, job.Aborted, job.Restarting)
		d.put("open", 4, job.Queued, job.Running)
		d.correct(model.FeedCorrected, "open", 5, "UPDATE transitions SET reason = 'x' WHERE version = 5 AND object_id = ?")
		d.put("z", 6, job.Running, job.Succeeded)
		stop := d.start()
		defer stop()
		d.collector.until(t, 1)
		d.put("resumed", 8, job.Running, job.Succeeded)
		d.collector.until(t, 2)
		if got := d.collector.names(); !slices.Equal(got, []string{"z", "resumed"}) {
			t.Errorf("got traces %q, want z and resumed", got)
		}
	})
}
