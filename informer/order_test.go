package informer_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// unorderedServer is an API server for the type projects. The test sets all versions.
type unorderedServer struct {
	service    string // the APIService of the group; "" if access to it is denied
	namespaced bool

	mu              sync.Mutex
	list            string // items
	version         int
	lists           int
	serviceRequests int // requests for the APIService of the group
	watch           *io.PipeWriter
}

// RoundTrip implements http.RoundTripper.
func (d *unorderedServer) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	code, body := http.StatusOK, ""
	switch {
	case r.URL.Path == "/api":
		body = `{"kind":"APIVersions","versions":["v1"]}`
	case r.URL.Path == "/api/v1":
		body = `{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`
	case r.URL.Path == "/apis":
		body = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"project.example.com","versions":[{"groupVersion":"project.example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"project.example.com/v1","version":"v1"}}]}`
	case r.URL.Path == "/apis/project.example.com/v1":
		body = fmt.Sprintf(`{"kind":"APIResourceList","groupVersion":"project.example.com/v1","resources":[{"name":"projects","singularName":"project","namespaced":%v,"kind":"Project","verbs":["get","list","watch"]}]}`, d.namespaced)
	case r.URL.Path == "/apis/apiregistration.k8s.io/v1/apiservices/v1.project.example.com":
		if d.serviceRequests++; d.service == "" {
			code, body = http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`
		} else {
			body = d.service
		}
	case !slices.Contains([]string{"/apis/project.example.com/v1/projects", "/apis/project.example.com/v1/namespaces/a/projects"}, r.URL.Path):
		code, body = http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
	case r.URL.Query().Get("sendInitialEvents") != "":
		code, body = http.StatusBadRequest, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","code":400}`
	case r.URL.Query().Get("watch") == "":
		d.lists++
		body = fmt.Sprintf(`{"kind":"ProjectList","apiVersion":"project.example.com/v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, d.version, d.list)
	default:
		reader, writer := io.Pipe()
		d.watch = writer
		context.AfterFunc(r.Context(), func() { writer.CloseWithError(context.Canceled) })
		return respond(r, code, reader), nil
	}
	return respond(r, code, io.NopCloser(strings.NewReader(body))), nil
}

// respond returns a response.
func respond(r *http.Request, code int, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body,
	}
}

// project returns a project as JSON.
func project(v int, phase string) string {
	return fmt.Sprintf(`{"kind":"Project","apiVersion":"project.example.com/v1","metadata":{"name":"x","uid":"u","resourceVersion":"%d"},"phase":%q}`, v, phase)
}

// send sends an event of the project on the watch.
func (d *unorderedServer) send(t *testing.T, kind string, v int, phase string) {
	t.Helper()
	d.mu.Lock()
	watch := d.watch
	d.mu.Unlock()
	if _, err := fmt.Fprintf(watch, `{"type":%q,"object":%s}`+"\n", kind, project(v, phase)); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

const (
	aggregated = `{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","spec":{"service":{"name":"projects","namespace":"kube-system"}}}`
	local      = `{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","spec":{"group":"project.example.com"}}`
)

// TestUnorderedVersions: an informer loses no event of an aggregated API server that does not
// order the versions of an object. The informer learns this from the APIService or, if access
// to it is denied, from the events.
func TestUnorderedVersions(t *testing.T) {
	for _, c := range []struct {
		name, service string
		order         delta.Order
		want          string // events
	}{
		{"aggregated server", aggregated, delta.ByArrival, "Added A, Updated B, Updated C, Deleted, Added D, Deleted, Added E"},
		{"access denied", "", delta.ByArrival, "Added A, Updated B, Updated C, Deleted, Added D, Deleted, Added E"},
		{"API server", local, delta.ByVersion, "Added A, Updated B, Updated E"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { followDisorder(t, c.service, c.order, c.want) })
		})
	}
}

// followDisorder runs an informer with a server whose versions decrease.
func followDisorder(t *testing.T, service string, order delta.Order, want string) {
	srv := &unorderedServer{service: service, version: 100, list: project(60, "A")}
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "http://disorderly", Transport: srv}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, cluster: cluster}
	ctx, cancel := context.WithCancel(t.Context())
	w.ctx = ctx
	defer w.work.Wait()
	defer cancel()
	var log bytes.Buffer
	projects := must(informer.Watch[unstructured.Unstructured](cluster, informer.Config{
		Resource: "projects.project.example.com", Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}))
	w.run(projects)
	var got []string
	w.work.Go(func() {
		for ev := range projects.Events(ctx) {
			obj, err := ev.Object()
			if err != nil {
				t.Error(err)
				continue
			}
			if text := ev.Kind().String(); ev.Kind() == store.Deleted {
				got = append(got, text)
			} else {
				got = append(got, fmt.Sprint(text, " ", obj.Object["phase"]))
			}
		}
	})
	<-projects.Synced()
	synctest.Wait()
	srv.send(t, "MODIFIED", 60, "B") // with the stored version
	srv.send(t, "MODIFIED", 40, "C")
	srv.send(t, "DELETED", 40, "C")
	srv.send(t, "ADDED", 40, "D") // below the list
	srv.send(t, "DELETED", 40, "D")
	// The watch ends before an addition.
	srv.mu.Lock()
	srv.list, srv.version = project(90, "E"), 90
	srv.watch.Close()
	srv.mu.Unlock()
	w.advance(time.Minute)
	if order == delta.ByVersion {
		srv.send(t, "MODIFIED", 101, "E")
	}
	synctest.Wait()
	health, _ := projects.Health()
	if events := strings.Join(got, ", "); events != want || health.Order != order {
		t.Errorf("got order %v, events %s, want %v, %s", health.Order, events, order, want)
	}
	if lists := map[delta.Order]int{delta.ByVersion: 1, delta.ByArrival: 2}[order]; srv.lists != lists || srv.serviceRequests > 1 {
		t.Errorf("got %d lists and %d requests for the APIService, want %d and at most 1", srv.lists, srv.serviceRequests, lists)
	}
	if n := strings.Count(log.String(), "does not order resource versions"); n != int(order) {
		t.Errorf("got %d log lines about the order, want %d:\n%s", n, int(order), log.String())
	}
}

// TestNarrowingWithoutOrder: if versions are not ordered, the watch of a namespace does not
// continue at the last version of the watch of all namespaces.
func TestNarrowingWithoutOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		item := func(v int) string {
			return fmt.Sprintf(`{"metadata":{"name":"x","namespace":"a","uid":"u","resourceVersion":"%d"}}`, v)
		}
		srv := &unorderedServer{version: 100, list: item(60), namespaced: true}
		cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "http://disorderly", Transport: srv}})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, cluster: cluster}
		ctx, cancel := context.WithCancel(t.Context())
		w.ctx = ctx
		defer w.work.Wait()
		defer cancel()
		projects := must(informer.Watch[unstructured.Unstructured](cluster, informer.Config{
			Resource: "projects.project.example.com", Logger: slog.New(slog.DiscardHandler),
		}))
		w.run(projects)
		<-projects.Synced()
		synctest.Wait()
		srv.mu.Lock()
		watch := srv.watch
		srv.mu.Unlock()
		if _, err := fmt.Fprintf(watch, `{"type":"MODIFIED","object":%s}`+"\n", item(50)); err != nil { // a lower version, so versions are not ordered
			t.Fatal(err)
		}
		synctest.Wait()
		srv.mu.Lock()
		srv.list = item(40) // a change that no watch from version 100 reports
		srv.mu.Unlock()
		if err := projects.SetNamespaces(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		w.advance(time.Minute)
		e, ok := projects.Snapshot().Records().Get(wire.Key{Namespace: "a", Name: "x"})
		if !ok || e.Version() != 40 {
			t.Errorf("got found %v, version %v after %d lists, want version 40", ok, e.Version(), srv.lists)
		}
	})
}
