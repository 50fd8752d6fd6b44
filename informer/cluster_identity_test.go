package informer_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// systemNamespace returns the namespace whose UID identifies a cluster.
func systemNamespace() *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"},
	}
}

// createIdentity gives the server the identity of a new cluster: it replaces the namespace
// kube-system.
func (w *world) createIdentity() {
	w.t.Helper()
	_ = w.srv.Delete(systemNamespace()) // it may not exist
	if _, err := w.srv.Create(systemNamespace()); err != nil {
		w.t.Fatal(err)
	}
}

// switchableAddress is an address behind which a test can replace the server.
type switchableAddress struct {
	current atomic.Pointer[apitest.Server]
	cluster *kube.Cluster
}

// switchableAddress returns an address that leads to the server of w.
func (w *world) switchableAddress() *switchableAddress {
	w.t.Helper()
	a := &switchableAddress{}
	a.current.Store(w.srv)
	rc := w.srv.RESTConfig()
	rc.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return a.current.Load().Dial(ctx, network, addr)
	}
	a.cluster = must(kube.Connect(kube.Config{REST: rc}))
	w.t.Cleanup(a.cluster.Close)
	return a
}

// replaceServer puts another server behind the address. It is unreachable until the test
// calls restoreServer. The server has a pod with the name of an old pod, and a pod whose
// version is lower than the versions of the old server. A resumed watch sees neither.
func (a *switchableAddress) replaceServer(w *world) {
	w.t.Helper()
	w.srv.Unavailable()
	w.srv, _ = serve(w.t, apitest.Config{})
	w.srv.Unavailable()
	w.createIdentity()
	w.create(podOn("new", "missing"), podOn("new", "namesake"), pod("filler"))
	for n := range 30 {
		w.moveTo("filler", fmt.Sprint("node-", n))
	}
	w.delete("filler")
	a.current.Store(w.srv)
}

// startSynced starts an informer and waits until it has the objects of the server.
func (w *world) startSynced(cluster *kube.Cluster, cfg informer.Config) (inf *informer.Informer[corev1.Pod], stop func()) {
	w.t.Helper()
	inf = must(informer.Watch[corev1.Pod](cluster, cfg))
	stop = w.start(inf)
	<-inf.Synced()
	w.advance(time.Second)
	return inf, stop
}

// restoreServer makes the server reachable again.
func (w *world) restoreServer() {
	w.t.Helper()
	if err := w.srv.Available(); err != nil {
		w.t.Fatal(err)
	}
	w.advance(time.Minute)
}

// TestReplacedBeforeWarmStart: after a warm start from the file of a replaced cluster, the
// objects of the file are available immediately. Then everything is listed and compared,
// even if the informer may not read the identity of the cluster.
func TestReplacedBeforeWarmStart(t *testing.T) {
	for name, c := range map[string]struct {
		denied    bool // the informer may not read the identity of the cluster
		replaced  bool
		lists     int
		wantError string
	}{
		"same cluster":             {false, false, 0, ""},
		"replaced cluster":         {false, true, 1, "the UID of the namespace kube-system is"},
		"same cluster, denied":     {true, false, 1, "not known"},
		"replaced cluster, denied": {true, true, 1, "not known"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.createIdentity()
				w.create(pod("ghost"), podOn("old", "namesake"))
				cfg := informer.Config{Logger: slog.New(slog.DiscardHandler), WarmStart: informer.WarmStart{Path: filepath.Join(w.t.TempDir(), "pods")}}
				at := w.switchableAddress()
				_, stop := w.startSynced(at.cluster, cfg)
				stop()
				w.srv.Unavailable()
				if c.replaced {
					at.replaceServer(w)
				}
				if c.denied {
					match := apitest.Match{Resource: "namespaces"}
					if _, err := w.srv.Inject(apitest.Fault{Match: match, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0))}); err != nil {
						w.t.Fatal(err)
					}
				}
				lists := w.listCount()
				second := must(informer.Watch[corev1.Pod](at.cluster, cfg))
				w.run(second)
				w.advance(time.Minute)
				if !isClosed(second.Synced()) || second.Snapshot().Records().Len() != 2 {
					w.t.Errorf("server unreachable: got %d objects, synced %v, want the 2 objects of the file, synced true", second.Snapshot().Records().Len(), isClosed(second.Synced()))
				}
				w.restoreServer()
				want := []string{"ghost", "namesake"}
				if c.replaced {
					want = []string{"missing", "namesake"}
				}
				equal(w.t, "objects", names(w.t, second.Snapshot().All()), want)
				p, _, err := second.Snapshot().Get(key("namesake"))
				if err != nil || (p.Spec.NodeName == "new") != c.replaced {
					w.t.Errorf("got pod %v, %v, want on node \"new\": %v", p, err, c.replaced)
				}
				h, _ := second.Health()
				if n := w.listCount() - lists; n != c.lists || h.Relists.Replaced != uint64(c.lists) || h.Fault != reflector.NoFault {
					w.t.Errorf("got %d lists, want %d and no fault; health: %+v", n, c.lists, h.Health)
				}
				if c.wantError != "" && (h.LastErr == nil || !strings.Contains(h.LastErr.Error(), c.wantError)) {
					w.t.Errorf("got last error %v, want %q", h.LastErr, c.wantError)
				}
			})
		})
	}
}

// TestReplacedWhileRunning: the informer lists a cluster that was replaced while the
// connection was lost, even if the watch could resume. It does not list the same cluster,
// or a cluster whose identity it may not read.
func TestReplacedWhileRunning(t *testing.T) {
	for name, c := range map[string]struct{ denied, replaced bool }{
		"same cluster": {}, "replaced cluster": {replaced: true}, "same cluster, denied": {denied: true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				if !c.denied {
					w.createIdentity()
				}
				w.create(pod("ghost"), podOn("old", "namesake"))
				at := w.switchableAddress()
				inf, _ := w.startSynced(at.cluster, informer.Config{Namespaces: []string{"default", "other"}, Logger: slog.New(slog.DiscardHandler)})
				var events eventLog
				w.logEvents(inf, &events)
				w.advance(time.Second)
				events.take()
				lists := w.listCount()
				w.srv.Unavailable()
				w.advance(time.Second)
				wantObjects, wantEvents := []string{"ghost", "namesake"}, []string(nil)
				if c.replaced {
					at.replaceServer(w)
					wantObjects, lists = []string{"missing", "namesake"}, -2
					wantEvents = []string{"Deleted default/ghost listed", "Deleted default/namesake listed", "Added default/missing listed", "Added default/namesake listed"}
				}
				w.restoreServer()
				equal(w.t, "objects", names(w.t, inf.Snapshot().All()), wantObjects)
				equal(w.t, "events", events.take(), wantEvents)
				if n := w.listCount() - lists; n != 0 && !c.replaced {
					w.t.Errorf("got %d lists, want none", n)
				}
				requests := 0
				for _, r := range w.srv.Requests() {
					if strings.HasSuffix(r.Path, "/namespaces/kube-system") {
						requests++
					}
				}
				if requests > 3 {
					w.t.Errorf("got %d requests for the identity of the cluster, want at most 3", requests)
				}
				h, _ := inf.Health()
				if h.Fault != reflector.NoFault || (h.Relists.Replaced == 1) != c.replaced {
					w.t.Errorf("got health %+v, want no fault, and a relist of a replaced cluster: %v", h.Health, c.replaced)
				}
			})
		})
	}
}
