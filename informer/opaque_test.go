package informer_test

import (
	"encoding/base64"
	"fmt"
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
)

// opaqueServer serves widgets with resourceVersions in base64, as a proxy of several clusters
// does. A watch brings the changes since the list whose version it names, and ends.
type opaqueServer struct {
	mu       sync.Mutex
	version  int
	names    []string // existing widgets
	requests []string // lists, and the versions of watches
	changes  []string // events since version 1, in JSON
}

func opaque(n int) string {
	return base64.RawStdEncoding.EncodeToString(fmt.Appendf(nil, `{"member":"%d"}`, n))
}

func widgetJSON(name string, version int) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q,"namespace":"default","uid":"u-%s","resourceVersion":%q}}`, name, name, opaque(version))
}

// change adds or removes a widget.
func (s *opaqueServer) change(kind, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	if kind == "ADDED" {
		s.names = append(s.names, name)
	} else {
		s.names = slices.DeleteFunc(s.names, func(n string) bool { return n == name })
	}
	s.changes = append(s.changes, fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", kind, widgetJSON(name, s.version)))
}

func (s *opaqueServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	q := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !strings.HasSuffix(r.URL.Path, "/widgets"):
		w.WriteHeader(http.StatusNotFound)
	case q.Get("sendInitialEvents") == "true":
		w.WriteHeader(http.StatusBadRequest)
	case q.Get("watch") == "":
		s.requests = append(s.requests, "list")
		var items []string
		for _, name := range s.names {
			items = append(items, widgetJSON(name, s.version))
		}
		fmt.Fprintf(w, `{"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{"resourceVersion":%q},"items":[%s]}`, opaque(s.version), strings.Join(items, ","))
	default:
		s.watch(w, r, q.Get("resourceVersion"))
	}
}

// watch answers a watch from a version. The caller holds the lock.
func (s *opaqueServer) watch(w http.ResponseWriter, r *http.Request, from string) {
	s.requests = append(s.requests, "watch "+from)
	sent := -1
	for n := range s.version + 1 {
		if opaque(n) == from {
			sent = n
		}
	}
	if sent < 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_ = http.NewResponseController(w).Flush()
	for end := time.After(time.Minute); ; { // an input: the server ends its watches
		for ; sent < s.version; sent++ {
			fmt.Fprint(w, s.changes[sent])
		}
		_ = http.NewResponseController(w).Flush()
		s.mu.Unlock()
		over := false
		select {
		case <-time.After(time.Second): // an input: the next look of the server
		case <-end:
			over = true
		case <-r.Context().Done():
			over = true
		}
		s.mu.Lock()
		if over {
			return
		}
	}
}

// TestOpaqueVersions: a server whose versions are not integers is followed. A watch begins at
// the text of a list, and each watch is followed by a list.
func TestOpaqueVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &opaqueServer{}
		srv.change("ADDED", "a")
		cluster := must(kube.Connect(kube.Config{
			REST:  &rest.Config{Host: "http://127.0.0.1:6443", Dial: serveOverPipes(t, srv.ServeHTTP)},
			Types: []kube.Resource{{Group: "example.com", Version: "v1", Name: "widgets", Kind: "Widget", Scope: kube.Namespaced}},
		}))
		t.Cleanup(cluster.Close)
		inf := must(informer.Watch[unstructured.Unstructured](cluster, informer.Config{Resource: "widgets.v1.example.com"}))
		w := &world{t: t}
		w.ctx, w.cancel = t.Context(), func() {}
		stop := w.start(inf)
		defer w.work.Wait()
		defer stop()
		names := func() (all []string) {
			for e := range inf.Snapshot().Records().All() {
				all = append(all, e.Key().Name)
			}
			return slices.Sorted(slices.Values(all))
		}
		check := func(want ...string) {
			t.Helper()
			if got := names(); !slices.Equal(got, want) {
				h, _ := inf.Health()
				t.Errorf("got %q, want %q; health %+v", got, want, h.Health)
			}
		}
		w.advance(time.Second)
		check("a")
		srv.change("ADDED", "b")
		w.advance(2 * time.Second)
		check("a", "b")
		srv.change("DELETED", "a")
		w.advance(2 * time.Second)
		check("b")
		for range 3 {
			w.advance(5 * time.Minute)
			srv.change("ADDED", fmt.Sprint("c", len(srv.names)))
			w.advance(2 * time.Second)
		}
		check("b", "c1", "c2", "c3")
		if h, _ := inf.Health(); h.Order != delta.ByArrival || h.Err != nil {
			t.Errorf("got order %v and error %v, want versions without an order and no error", h.Order, h.Err)
		}
		for i, r := range srv.requests[1:] {
			if strings.HasPrefix(r, "watch") == strings.HasPrefix(srv.requests[i], "watch") {
				t.Errorf("request %d: %s after %s, want lists and watches in turn", i+1, r, srv.requests[i])
			}
		}
	})
}
