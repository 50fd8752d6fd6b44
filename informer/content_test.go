package informer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// contentServer is an API server with one custom resource and one object of it, whose content
// changes without a new version of the object. As kube-apiserver does then, it ends its
// watches, and answers a watch from an earlier version with 410.
type contentServer struct {
	mu      sync.Mutex
	version int    // of the list
	spec    string // of the object
	changed chan struct{}
	lists   int
}

// show changes the content.
func (s *contentServer) show(version int, spec string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed != nil {
		close(s.changed)
	}
	s.version, s.spec, s.changed = version, spec, make(chan struct{})
}

func (s *contentServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	version, changed := s.version, s.changed
	object := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"5"},"spec":%s}`, s.spec)
	q := r.URL.Query()
	isList := strings.HasSuffix(r.URL.Path, "/widgets") && q.Get("watch") == ""
	if isList {
		s.lists++
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/namespaces/kube-system"):
		fmt.Fprint(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"one","resourceVersion":"1"}}`)
		return
	case isList:
		fmt.Fprintf(w, `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, version, object)
		return
	case !strings.HasSuffix(r.URL.Path, "/widgets"):
		fixedResponse(http.StatusNotFound, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)(w, r)
		return
	case q.Get("sendInitialEvents") == "true":
		fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", object)
		fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", version)
	case q.Get("resourceVersion") != fmt.Sprint(version):
		fixedResponse(http.StatusGone, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`)(w, r)
		return
	}
	seconds, _ := strconv.Atoi(q.Get("timeoutSeconds"))
	due := time.After(time.Duration(seconds) * time.Second)
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-changed:
			return
		case <-due:
			return
		case <-r.Context().Done():
			return
		case <-time.After(time.Minute): // an input: how often kube-apiserver sends bookmarks
			fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"%d"}}}`+"\n", version)
		}
	}
}

// widgets returns an informer for the objects of the server.
func (s *contentServer) widgets(t *testing.T, cfg informer.Config) *informer.Informer[unstructured.Unstructured] {
	cluster := must(kube.Connect(kube.Config{
		REST:  &rest.Config{Host: "http://127.0.0.1:6443", Dial: serveOverPipes(t, s.ServeHTTP)},
		Types: []kube.Resource{{Group: "example.com", Version: "v1", Name: "widgets", Kind: "Widget", Scope: kube.Namespaced}},
	}))
	t.Cleanup(cluster.Close)
	cfg.Resource = "widgets.v1.example.com"
	return must(informer.Watch[unstructured.Unstructured](cluster, cfg))
}

// specOf returns the spec of the object.
func specOf(t *testing.T, inf *informer.Informer[unstructured.Unstructured]) string {
	t.Helper()
	obj, ok, err := inf.Snapshot().Get(key("a"))
	if !ok || err != nil {
		t.Fatalf("got found %v, error %v", ok, err)
	}
	return string(must(json.Marshal(obj.Object["spec"])))
}

// TestOtherContent: a schema gets a default, so an object has other content at the same
// version. The informer shows it after the list, with one update; a list with the same
// content is no change.
func TestOtherContent(t *testing.T) {
	for _, storage := range []informer.Storage{informer.Packed, informer.Live} {
		synctest.Test(t, func(t *testing.T) {
			srv := &contentServer{}
			srv.show(10, `{"x":1}`)
			inf := srv.widgets(t, informer.Config{Storage: storage})
			w := &world{t: t}
			w.ctx, w.cancel = t.Context(), func() {}
			stop := w.start(inf)
			defer w.work.Wait()
			defer stop()
			var kinds []store.ChangeKind
			w.work.Go(func() {
				for ev := range inf.Events(t.Context()) {
					kinds = append(kinds, ev.Kind())
				}
			})
			byY := informer.IndexBy(inf, func(u *unstructured.Unstructured) string { return fmt.Sprint(u.Object["spec"]) })
			w.advance(time.Minute)
			for i, spec := range []string{`{"x":1}`, `{"x":1,"y":"default"}`, `{"x":1,"y":"default"}`} {
				srv.show(20+i, spec)
				w.advance(10 * time.Minute)
				if got := specOf(t, inf); got != spec {
					t.Errorf("%v: the informer shows %s, want %s", storage, got, spec)
				}
			}
			if got := fmt.Sprint(kinds); got != "[Added Updated]" {
				t.Errorf("%v: got the events %s, want [Added Updated]", storage, got)
			}
			if n := must(byY.Len(inf.Snapshot(), "map[x:1 y:default]")); n != 1 {
				t.Errorf("%v: the index has %d objects with the new content, want 1", storage, n)
			}
		})
	}
}

// TestOtherContentInFile: the content changed at the same version while the program was not
// running. The informer shows it, by the list that the start from the file needs, or by a
// comparison if the watch resumes. There is one update, and none for the same content.
func TestOtherContentInFile(t *testing.T) {
	for _, expires := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			srv := &contentServer{}
			cfg := informer.Config{WarmStart: informer.WarmStart{Path: filepath.Join(t.TempDir(), "snapshot")}}
			for i, spec := range []string{`{"x":1}`, `{"x":1,"y":"default"}`, `{"x":1,"y":"default"}`} {
				version := 10
				if expires {
					version += i
				}
				srv.show(version, spec)
				inf := srv.widgets(t, cfg)
				w := &world{t: t}
				w.ctx, w.cancel = t.Context(), func() {}
				stop := w.start(inf)
				updates := 0
				w.work.Go(func() {
					for ev := range inf.Events(t.Context()) {
						if ev.Kind() == store.Updated {
							updates++
						}
					}
				})
				w.advance(10 * time.Minute)
				got := specOf(t, inf)
				stop()
				w.work.Wait()
				if h, _ := inf.Health(); got != spec || i > 0 && h.ColdStart != nil {
					t.Errorf("expires %v: start %d shows %s, want %s (cold start: %v)", expires, i, got, spec, h.ColdStart)
				}
				if want := i % 2; updates != want {
					t.Errorf("expires %v: start %d: got %d updates, want %d", expires, i, updates, want)
				}
			}
		})
	}
}

// TestContentCheckOfManyObjects: the comparison reads all pages, lets the watch report other
// versions and deletions, and tries again after a failure, which is logged.
func TestContentCheckOfManyObjects(t *testing.T) {
	inWorld(t, func(w *world) {
		w.createIdentity()
		cfg := informer.Config{WarmStart: informer.WarmStart{Path: filepath.Join(t.TempDir(), "snapshot")}}
		const n = 1200
		for i := range n {
			w.create(pod(fmt.Sprintf("p%04d", i)))
		}
		stop := w.start(must(informer.Watch[corev1.Pod](w.cluster, cfg)))
		w.advance(time.Minute)
		stop()
		w.delete("p0003")
		w.moveTo("p0004", "x")
		if _, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbList, Resource: "pods"}, Times: 1, After: 1, Action: apitest.Hang()}); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
		var events eventLog
		w.logEvents(inf, &events)
		lists := w.listCount()
		w.advance(0)
		stop = w.start(inf)
		w.advance(20 * time.Minute)
		stop()
		equal(t, "events after the start", events.take()[n:], []string{"Deleted default/p0003", "Updated default/p0004"})
		if got := w.listCount() - lists; got != 2+3 {
			t.Errorf("got %d pages, want 2 of the first comparison and 3 of the second", got)
		}
		if text := log.String(); strings.Count(text, "cannot be compared") != 1 || strings.Count(text, "are compared") != 1 {
			t.Errorf("got log %q, want the failure and its end", text)
		}
	})
}
