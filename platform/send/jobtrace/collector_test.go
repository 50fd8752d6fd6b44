package jobtrace_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// collector accepts traces by OTLP over HTTP.
type collector struct {
	*httptest.Server
	// answer returns the code of a response; 200 accepts the traces. It may be nil.
	answer func(w http.ResponseWriter, got *trace.TracesData) int

	mu      sync.Mutex
	taken   []*trace.ResourceSpans // in the order of arrival
	headers []http.Header
	changed chan struct{}
}

func newCollector(t *testing.T) *collector {
	c := &collector{changed: make(chan struct{}, 1000)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP implements the protocol.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Header.Get("Content-Encoding") == "gzip" {
		var unzip io.Reader
		if unzip, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(unzip)
		}
	}
	var got trace.TracesData
	if err == nil {
		err = proto.Unmarshal(body, &got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.changed <- struct{}{} }()
	c.headers = append(c.headers, r.Header)
	code := http.StatusOK
	switch {
	case err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf":
		code = http.StatusTeapot
	case c.answer != nil:
		code = c.answer(w, &got)
	}
	if code == http.StatusOK {
		c.taken = append(c.taken, got.ResourceSpans...)
	}
	w.WriteHeader(code)
}

// set changes the answers of the collector.
func (c *collector) set(answer func(http.ResponseWriter, *trace.TracesData) int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

// all returns the accepted traces.
func (c *collector) all() []*trace.ResourceSpans {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*trace.ResourceSpans(nil), c.taken...)
}

// names returns the UIDs of the jobs of the accepted traces.
func (c *collector) names() (uids []string) {
	for _, r := range c.all() {
		uids = append(uids, text(r.Resource.Attributes, "k8s.job.uid"))
	}
	return uids
}

// until waits for requests until there are n traces.
func (c *collector) until(t *testing.T, n int) []*trace.ResourceSpans {
	t.Helper()
	for {
		if all := c.all(); len(all) >= n {
			return all
		}
		c.asked(t)
	}
}

// asked waits for a request.
func (c *collector) asked(t *testing.T) {
	t.Helper()
	patience.Receive(t, "a request", c.changed, func() string { return fmt.Sprintf("got traces %q", c.names()) })
}

// text returns an attribute.
func text(all []*common.KeyValue, name string) string {
	for _, a := range all {
		if a.Key == name {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// lines is a log that tests read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) count(what string) int { return strings.Count(l.String(), what) }

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// database is a database of a test with a collector.
type database struct {
	*testing.T
	*modeltest.Database
	collector *collector
	log       *lines
}

// each runs a test on an empty database of each kind, which has the cursor of traces.
func each(t *testing.T, test func(t *testing.T, d *database)) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := &database{t, modeltest.Open(t, url), newCollector(t), &lines{}}
		stop := d.start()
		d.Until("SELECT name FROM feed_cursors", "traces")
		stop()
		test(t, d)
	})
}

// start runs an exporter. stop ends it, and fails the test if Run returned an error.
func (d *database) start() (stop func()) {
	d.Helper()
	e, err := jobtrace.New(jobtrace.Config{DB: d.DB, Endpoint: d.collector.URL, Logger: d.log.logger(), Resource: map[string]string{"site": "north"}})
	if err != nil {
		d.Fatal(err)
	}
	ctx, cancel := context.WithCancel(d.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	return func() {
		d.Helper()
		cancel()
		if err := <-done; err != nil {
			d.Error(err)
		}
	}
}

const jobBody = `{"apiVersion":"batch/v1","kind":"Job","spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"8"}}}]}}}}`

// put writes revisions of a job with versions from first.
func (d *database) put(uid string, first wire.Version, states ...job.State) {
	d.Helper()
	for i, s := range states {
		err := d.Write(d.Context(), []modeltest.Revision{{UID: uid, Version: first + wire.Version(i), State: s, Body: jobBody}})
		if err != nil {
			d.Fatal(err)
		}
	}
}
