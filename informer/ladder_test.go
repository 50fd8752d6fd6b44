package informer_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
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
	"github.com/vedette-io/vedette/reflector"
)

// within advances the time until a condition holds, and fails the test if it does not hold
// within the bound of docs/protocol.md.
func (w *world) within(bound time.Duration, inf *informer.Informer[corev1.Pod], what string, holds func() bool) {
	w.t.Helper()
	for range int(bound / (5 * time.Second)) {
		if w.advance(5 * time.Second); holds() {
			return
		}
	}
	h, _ := inf.Health()
	w.t.Errorf("%s after %v: %d pods, phase %v, means %v, fault %v: %v", what, bound, inf.Snapshot().Records().Len(), h.Phase, h.Means, h.Fault, h.Err)
}

// TestStuckWatch: every watch from one old version fails in the same way, although lists
// work. The informer lists, as client-go does (fabric8io/kubernetes-client#7898,
// kubernetes/kubernetes#137089, open-telemetry/opentelemetry-operator#4288).
func TestStuckWatch(t *testing.T) {
	for name, c := range map[string]struct {
		action apitest.Action
		bound  time.Duration
	}{
		"regular end":  {apitest.Cut(apitest.CutClean), 10 * time.Second},
		"reset":        {apitest.Cut(apitest.CutReset), 10 * time.Second},
		"mid frame":    {apitest.Cut(apitest.CutMidFrame), 10 * time.Second},
		"ERROR 500":    {apitest.InStreamError(apitest.Failure(500, 0)), 10 * time.Second},
		"ERROR 429":    {apitest.InStreamError(apitest.Failure(429, 0)), time.Minute},
		"ERROR 504":    {apitest.InStreamError(apitest.Failure(504, 0)), 10 * time.Second},
		"garbage":      {apitest.Garbage(apitest.GarbageFraming), 10 * time.Second},
		"400":          {apitest.Respond(apitest.Failure(400, 0)), 10 * time.Second},
		"403":          {apitest.Respond(apitest.Failure(403, 0)), 10 * time.Second},
		"406":          {apitest.Respond(apitest.Failure(406, 0)), 10 * time.Second},
		"500":          {apitest.Respond(apitest.Failure(500, 0)), 10 * time.Second},
		"503, 1 s":     {apitest.Respond(apitest.Failure(503, time.Second)), time.Minute},
		"504":          {apitest.Respond(apitest.Failure(504, 0)), 10 * time.Second},
		"429, 1 s":     {apitest.Respond(apitest.Failure(429, time.Second)), time.Minute},
		"not answered": {apitest.Hang(), 4 * time.Minute},
		"silence":      {apitest.Stall(), 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.create(pod("a"))
				inf, stop := w.startSynced(w.cluster, informer.Config{})
				defer stop()
				w.advance(90 * time.Second)
				h, _ := inf.Health()
				old := h.Version.String()
				must(w.srv.Inject(apitest.Fault{Times: apitest.Always, Action: c.action, Match: apitest.Match{
					Verb: apitest.VerbWatch, Resource: "pods", Where: func(r apitest.Request) bool { return !r.Streaming() && r.Options.ResourceVersion == old },
				}}))
				w.endStream()
				w.create(pod("b"))
				w.within(c.bound, inf, "the change is missing", func() bool { return inf.Snapshot().Records().Len() == 2 })
				if h, _ = inf.Health(); h.Relists.Stuck != 1 {
					t.Errorf("got relists %+v, want one because resuming did not help", h.Relists)
				}
			})
		})
	}
}

// endStream ends the watch that continues a streaming list.
func (w *world) endStream() {
	w.inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch, Where: func(r apitest.Request) bool { return r.Streaming() }}, Action: apitest.Cut(apitest.CutReset)})
}

// TestOutageEndsWithoutList: while a server refuses everything, the informer tries all means.
// When the server works again, the watch resumes, and nothing is listed.
func TestOutageEndsWithoutList(t *testing.T) {
	for _, code := range []int{401, 403, 429, 500, 503} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.create(pod("a"))
				inf, stop := w.startSynced(w.cluster, informer.Config{})
				defer stop()
				outage := w.inject(apitest.Fault{Times: apitest.Always, Action: apitest.Respond(apitest.Failure(code, 0))})
				w.endStream()
				w.advance(10 * time.Minute)
				outage.Release()
				w.create(pod("b"))
				w.within(2*time.Minute, inf, "the change is missing", func() bool { return inf.Snapshot().Records().Len() == 2 })
				if h, _ := inf.Health(); h.Relists != (reflector.Relists{}) || h.LastGap.From != 0 {
					t.Errorf("got relists %+v and gap %v, want none", h.Relists, h.LastGap)
				}
			})
		})
	}
}

// TestStreamingListRefused: streaming lists fail, although pages work
// (kubernetes/kubernetes#139766).
func TestStreamingListRefused(t *testing.T) {
	for name, action := range map[string]apitest.Action{
		"401": apitest.Respond(apitest.Failure(401, 0)), "403": apitest.Respond(apitest.Failure(403, 0)), "404": apitest.Respond(apitest.Failure(404, 0)),
		"429": apitest.Respond(apitest.Failure(429, time.Second)), "500": apitest.Respond(apitest.Failure(500, 0)), "501": apitest.Respond(apitest.Failure(501, 0)),
		"502": apitest.Respond(apitest.Failure(502, 0)), "503": apitest.Respond(apitest.Failure(503, 0)), "504": apitest.Respond(apitest.Failure(504, 0)),
		"silence": apitest.Hang(), "stall": apitest.Stall(), "cut": apitest.Cut(apitest.CutReset), "garbage": apitest.Garbage(apitest.GarbageFraming),
		"ERROR 500": apitest.InStreamError(apitest.Failure(500, 0)), "ERROR 504": apitest.InStreamError(apitest.Failure(504, 0)),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.create(pod("a"))
				w.inject(apitest.Fault{Times: apitest.Always, Action: action, Match: apitest.Match{
					Verb: apitest.VerbWatch, Resource: "pods", Where: func(r apitest.Request) bool { return r.Streaming() },
				}})
				inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
				defer w.start(inf)()
				w.within(time.Minute, inf, "not synced", func() bool { return isClosed(inf.Synced()) })
			})
		})
	}
}

// TestIdentityUnreadable: a gateway answers the path of the namespace kube-system with an
// error, or not at all. After a lost connection the informer continues: its own type works.
func TestIdentityUnreadable(t *testing.T) {
	actions := map[string]apitest.Action{"hang": apitest.Hang()}
	for _, code := range []int{400, 401, 403, 404, 405, 406, 429, 500, 501, 502, 503, 504} {
		actions[strconv.Itoa(code)] = apitest.Respond(apitest.Failure(code, 0))
	}
	for name, action := range actions {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.inject(apitest.Fault{Times: apitest.Always, Action: action, Match: apitest.Match{Resource: "namespaces", Name: "kube-system"}})
				w.create(pod("a"))
				inf, stop := w.startSynced(w.cluster, informer.Config{})
				defer stop()
				w.advance(90 * time.Second)
				w.inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Cut(apitest.CutReset)})
				w.create(pod("b"))
				w.within(5*time.Second, inf, "the change is missing", func() bool { return inf.Snapshot().Records().Len() == 2 })
				if h, _ := inf.Health(); h.Relists != (reflector.Relists{}) {
					t.Errorf("got relists %+v, want none", h.Relists)
				}
			})
		})
	}
}

// buffering returns a handler of a proxy that passes on an answer when it is complete. After
// limit it gives up and answers 504, as load balancers do.
func buffering(srv *apitest.Server, limit time.Duration) http.HandlerFunc {
	rc := srv.RESTConfig()
	up := must(rest.HTTPClientFor(rc))
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		req := must(http.NewRequestWithContext(ctx, r.Method, rc.Host+r.URL.RequestURI(), nil))
		req.Header = r.Header
		resp, err := up.Do(req)
		if err != nil {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		defer resp.Body.Close()
		var held bytes.Buffer
		if _, err := io.Copy(&held, resp.Body); err != nil {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = w.Write(held.Bytes())
	}
}

// TestBufferingProxy: the informer behind a proxy that buffers syncs, shows changes, and says
// why they come late.
func TestBufferingProxy(t *testing.T) {
	for name, limit := range map[string]time.Duration{"without a limit": time.Hour, "504 after a minute": time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := must(apitest.New(apitest.Config{SystemNamespaces: true, BookmarkInterval: -1}))
				defer srv.Close()
				dial := serveOverPipes(t, buffering(srv, limit))
				cluster := must(kube.Connect(kube.Config{REST: &rest.Config{Host: "http://127.0.0.1:6443", Dial: dial, QPS: -1}}))
				defer cluster.Close()
				w := &world{t: t, srv: srv, ctx: t.Context(), cancel: func() {}}
				w.create(pod("a"))
				inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
				defer w.work.Wait()
				defer w.start(inf)()
				w.within(time.Minute, inf, "not synced", func() bool { return isClosed(inf.Synced()) })
				w.create(pod("b"))
				w.within(3*time.Minute, inf, "the change is missing", func() bool { return inf.Snapshot().Records().Len() == 2 })
				w.create(pod("c"))
				w.within(time.Minute, inf, "the second change is missing", func() bool { return inf.Snapshot().Records().Len() == 3 })
				if h, _ := inf.Health(); h.Means != reflector.ShortWatch || h.Reason == nil {
					t.Errorf("got means %v because of %v, want short watches and the reason", h.Means, h.Reason)
				}
			})
		})
	}
}

// restored is an API server with one type of custom resources. It accepts a watch from a
// version of the future, and sends nothing until its own version is greater, as
// kube-apiserver does.
type restored struct {
	mu      sync.Mutex
	version int
	objects []string
	changed chan struct{} // closed when the server ends its watches
}

func (s *restored) set(version int, objects ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.objects = version, objects
	if s.changed != nil {
		close(s.changed)
	}
	s.changed = make(chan struct{})
}

func (s *restored) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	version, objects, changed := s.version, s.objects, s.changed
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	q := r.URL.Query()
	switch {
	case !strings.HasSuffix(r.URL.Path, "/things"):
		http.NotFound(w, r)
		return
	case q.Get("sendInitialEvents") == "true":
		w.WriteHeader(http.StatusBadRequest)
		return
	case q.Get("watch") == "":
		fmt.Fprintf(w, `{"kind":"ThingList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, version, strings.Join(objects, ","))
		return
	}
	_ = http.NewResponseController(w).Flush()
	seconds := must(strconv.Atoi(q.Get("timeoutSeconds")))
	select {
	case <-changed:
	case <-time.After(time.Duration(seconds) * time.Second):
	case <-r.Context().Done():
	}
}

func thing(name string, version int) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":%q,"namespace":"default","uid":"uid-%s","resourceVersion":"%d"}}`, name, name, version)
}

// TestRestoredBackup: etcd is restored from a backup, so the versions of the server go back
// (kubernetes/kubernetes#107457).
func TestRestoredBackup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &restored{}
		srv.set(1200, thing("a", 5), thing("lost", 1100))
		dial := serveOverPipes(t, srv.ServeHTTP)
		cluster := must(kube.Connect(kube.Config{
			REST:  &rest.Config{Host: "http://127.0.0.1:6443", Dial: dial},
			Types: []kube.Resource{{Group: "example.com", Version: "v1", Name: "things", Kind: "Thing", Scope: kube.Namespaced}},
		}))
		defer cluster.Close()
		inf := must(informer.Watch[unstructured.Unstructured](cluster, informer.Config{Resource: "things.v1.example.com"}))
		w := &world{t: t, ctx: t.Context(), cancel: func() {}}
		defer w.work.Wait()
		defer w.start(inf)()
		w.advance(time.Minute)
		if n := inf.Snapshot().Records().Len(); n != 2 {
			t.Fatalf("got %d objects, want 2", n)
		}
		before, _ := inf.Health()
		srv.set(1003, thing("a", 1001), thing("new", 1003)) // ends the watch
		w.advance(2 * time.Minute)
		if h, _ := inf.Health(); h.LastEvent != before.LastEvent {
			t.Errorf("LastEvent is %v, want %v: opening a watch is no event", h.LastEvent, before.LastEvent)
		}
		w.advance(3 * time.Minute)
		if _, ok, err := inf.Snapshot().Get(key("new")); err != nil || !ok {
			h, _ := inf.Health()
			t.Errorf("five minutes after the restore the informer shows the lost state: version %v, phase %v, fault %v", h.Version, h.Phase, h.Fault)
		}
		if h, _ := inf.Health(); h.Relists.Ahead != 1 {
			t.Errorf("got relists %+v, want one because the version was ahead", h.Relists)
		}
	})
}
