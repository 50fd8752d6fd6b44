package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestTraces checks that a recorder sends an ended job to a collector, with the headers of a file and
// the variables of OpenTelemetry, and prints no header.
func TestTraces(t *testing.T) {
	type request struct {
		header http.Header
		got    trace.TracesData
		err    error
	}
	requests := make(chan *request, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		q := &request{header: r.Header}
		text, err := gzip.NewReader(r.Body)
		if q.err = err; err == nil {
			var body []byte
			if body, q.err = io.ReadAll(text); q.err == nil {
				q.err = proto.Unmarshal(body, &q.got)
			}
		}
		requests <- q
	}))
	defer collector.Close()
	srv := recordable(t, apitest.Config{})
	job := newJob("ml", "train")
	srv.create(job)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_SERVICE_NAME", "my-jobs")
	headers := file(t, "headers", "Authorization: Bearer hunter2\n")
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	p := start(t, "record", "jobs", "-A", "--kubeconfig", srv.kubeconfig, "--db", db, "--traces", "env", "--traces-headers", headers)
	p.err.holds(t, "Ctrl-C ends it")
	hasCursor(t, db)
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	if _, err := srv.UpdateStatus(job); err != nil {
		t.Fatal(err)
	}
	q := patience.Receive(t, "a request", requests)
	if q.err != nil || q.header.Get("Authorization") != "Bearer hunter2" || len(q.got.ResourceSpans) != 1 {
		t.Fatalf("got the request %+v, want one trace with the token", q)
	}
	if text := q.got.String(); !strings.Contains(text, "my-jobs") || !strings.Contains(text, "train") || !strings.Contains(text, "Succeeded") {
		t.Errorf("got the trace %s, want my-jobs, train and Succeeded", text)
	}
	p.interrupt()
	if text := p.out.String() + p.err.String(); strings.Contains(text, "hunter2") {
		t.Errorf("the output shows the token, want it hidden: %s", text)
	}
}

// hasCursor waits until the exporter of a database has its cursor: jobs that end before have no
// trace.
func hasCursor(t *testing.T, db string) {
	t.Helper()
	d, err := sqldb.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	patience.Until(t, "the cursor of traces", func() string {
		all, err := feed.Cursors(t.Context(), d)
		if err == nil && len(all) == 1 {
			return ""
		}
		return fmt.Sprintf("got %v, %v", all, err)
	})
}

// TestTracesMistakes checks that wrong settings are errors before recording starts, with their origin
// and without a secret.
func TestTracesMistakes(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	for args, want := range map[string]string{
		"--traces env":                         "OTEL_EXPORTER_OTLP_ENDPOINT is empty",
		"--traces collector:4318":              "--traces: the address for traces",
		"--traces http://me:hunter2@collector": "--traces: the address for traces has a user or a query",
		"--traces-headers x":                   "--traces-headers: the headers need --traces",
		"--traces http://collector --traces-headers /does/not/exist":                    "no such file",
		"--traces http://collector --traces-headers " + file(t, "h", "hunter2 hunter2"): "line 1 is invalid",
	} {
		p := start(t, append([]string{"record", "jobs", "-A", "--db", db}, strings.Fields(args)...)...)
		if code := p.end(); code != 1 || !strings.Contains(p.err.String(), want) || strings.Contains(p.err.String(), "hunter2") {
			t.Errorf("record %s: exit code %d, said %v; want 1 and %q without the token", args, code, p.err, want)
		}
	}
}
