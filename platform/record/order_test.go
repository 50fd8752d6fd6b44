package record_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/record"
)

// disorderly is a cluster with one project. The aggregated API server that serves it does
// not order its versions. The test writes the watch streams.
type disorderly struct {
	watches chan *io.PipeWriter
	local   bool // the API server serves the type, so its versions are ordered
}

// RoundTrip implements http.RoundTripper.
func (d *disorderly) RoundTrip(r *http.Request) (*http.Response, error) {
	answers := map[string]string{
		"/api":                                  `{"kind":"APIVersions","versions":["v1"]}`,
		"/api/v1":                               `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"namespaces","singularName":"namespace","namespaced":false,"kind":"Namespace","verbs":["get","list","watch"]}]}`,
		"/apis":                                 `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"project.example.com","versions":[{"groupVersion":"project.example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"project.example.com/v1","version":"v1"}}]}`,
		"/apis/project.example.com/v1":          `{"kind":"APIResourceList","groupVersion":"project.example.com/v1","resources":[{"name":"projects","singularName":"project","namespaced":false,"kind":"Project","verbs":["get","list","watch"]}]}`,
		"/apis/project.example.com/v1/projects": `{"kind":"ProjectList","apiVersion":"project.example.com/v1","metadata":{"resourceVersion":"100"},"items":[` + project(60, "Running") + `]}`,
		"/api/v1/namespaces/kube-system":        `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"disorderly","resourceVersion":"1"}}`,
		"/apis/apiregistration.k8s.io/v1/apiservices/v1.project.example.com": `{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","spec":{"service":{"name":"projects"}}}`,
	}
	if d.local {
		answers["/apis/apiregistration.k8s.io/v1/apiservices/v1.project.example.com"] = `{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","spec":{}}`
	}
	code := http.StatusOK
	body, ok := answers[r.URL.Path]
	query := r.URL.Query()
	switch {
	case !ok:
		code, body = http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
	case query.Get("sendInitialEvents") != "":
		code, body = http.StatusBadRequest, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","code":400}`
	}
	text := io.NopCloser(strings.NewReader(body))
	if code == http.StatusOK && query.Get("watch") != "" {
		reader, writer := io.Pipe()
		context.AfterFunc(r.Context(), func() { writer.CloseWithError(context.Canceled) })
		d.watches <- writer
		text = reader
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: text,
	}, nil
}

func project(v int, phase string) string {
	return fmt.Sprintf(`{"kind":"Project","apiVersion":"project.example.com/v1","metadata":{"name":"x","uid":"u","resourceVersion":"%d"},"status":{"phase":%q}}`, v, phase)
}

// TestUnorderedVersions checks that a revision without a place in the order of versions
// causes a gap, and that a deletion is always written.
func TestUnorderedVersions(t *testing.T) {
	w := newWorld(t, "sqlite:"+t.TempDir()+"/history.db")
	srv := &disorderly{watches: make(chan *io.PipeWriter, 10)}
	var err error
	if w.cluster, err = kube.Connect(kube.Config{REST: &rest.Config{Host: "http://disorderly", Transport: srv}}); err != nil {
		t.Fatal(err)
	}
	stop := w.record("one", record.Target{Type: "projects.project.example.com"})
	defer stop()
	w.until(presences, "x 0 Running")
	watch := <-srv.watches
	send := func(kind string, v int, phase string) {
		if _, err := fmt.Fprintf(watch, `{"type":%q,"object":%s}`+"\n", kind, project(v, phase)); err != nil {
			t.Fatal(err)
		}
	}
	send("MODIFIED", 60, "Succeeded")
	w.until("SELECT cause, from_version FROM gaps", "unordered 60")
	send("MODIFIED", 40, "Succeeded")
	w.until("SELECT cause, from_version FROM gaps ORDER BY id", "unordered 60", "unordered 40")
	send("MODIFIED", 70, "Failed")
	w.until(presences, "x 0 Failed")
	send("DELETED", 70, "Failed")
	w.until(presences, "x 1 Deleted")
	w.until("SELECT version, state FROM revisions ORDER BY version", "60 Running", "70 Failed", "71 Deleted")
}

// TestDeletedAtStoredVersion checks that a deletion is written that has the version of the
// last revision (kubernetes/kubernetes#58545).
func TestDeletedAtStoredVersion(t *testing.T) {
	w := newWorld(t, "sqlite:"+t.TempDir()+"/history.db")
	srv := &disorderly{watches: make(chan *io.PipeWriter, 10), local: true}
	var err error
	if w.cluster, err = kube.Connect(kube.Config{REST: &rest.Config{Host: "http://disorderly", Transport: srv}}); err != nil {
		t.Fatal(err)
	}
	stop := w.record("one", record.Target{Type: "projects.project.example.com"})
	defer stop()
	w.until(presences, "x 0 Running")
	if _, err := fmt.Fprintf(<-srv.watches, `{"type":"DELETED","object":%s}`+"\n", project(60, "Running")); err != nil {
		t.Fatal(err)
	}
	w.until(presences, "x 1 Deleted")
	w.until("SELECT version, state, source FROM revisions ORDER BY version", "60 Running 2", "101 Deleted 1")
}
