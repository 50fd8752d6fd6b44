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

func system() *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"},
	}
}

// build makes the server a cluster that can be told from others, and another one if it
// is that already.
func (w *world) build() {
	w.t.Helper()
	_ = w.srv.Delete(system()) // there may be none
	if _, err := w.srv.Create(system()); err != nil {
		w.t.Fatal(err)
	}
}

// address is one behind which one server or another stands.
type address struct {
	now     atomic.Pointer[apitest.Server]
	cluster *kube.Cluster
}

func (w *world) address() *address {
	w.t.Helper()
	a := &address{}
	a.now.Store(w.srv)
	rc := w.srv.RESTConfig()
	rc.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return a.now.Load().Dial(ctx, network, addr)
	}
	a.cluster = must(kube.Connect(kube.Config{REST: rc}))
	w.t.Cleanup(a.cluster.Close)
	return a
}

// rebuild puts another server behind the address, unreachable until the test connects
// it. The server has a pod under the name of an old pod, and a pod that is older than
// the versions of the old server. A watch that resumes sees neither.
func (a *address) rebuild(w *world) {
	w.t.Helper()
	w.srv.Unavailable()
	w.srv, _ = serve(w.t, apitest.Config{})
	w.srv.Unavailable()
	w.build()
	w.create(on("new", "missing"), on("new", "namesake"), pod("filler"))
	for n := range 30 {
		w.place("filler", fmt.Sprint("node-", n))
	}
	w.delete("filler")
	a.now.Store(w.srv)
}

// watched returns an informer that has seen the objects of the server.
func (w *world) watched(cluster *kube.Cluster, cfg informer.Config) (inf *informer.Informer[corev1.Pod], stop func()) {
	w.t.Helper()
	inf = must(informer.Watch[corev1.Pod](cluster, cfg))
	stop = w.runs(inf)
	<-inf.Synced()
	w.pass(time.Second)
	return inf, stop
}

func (w *world) back() {
	w.t.Helper()
	if err := w.srv.Available(); err != nil {
		w.t.Fatal(err)
	}
	w.pass(time.Minute)
}

// TestRebuiltBeforeAWarmStart: a file of a cluster that was rebuilt behind the same
// address shows its objects at once; then everything is listed and compared, also
// where which cluster it is may not be read.
func TestRebuiltBeforeAWarmStart(t *testing.T) {
	for name, c := range map[string]struct {
		denied  bool // it may not be read which cluster it is
		rebuilt bool
		lists   int
		why     string
	}{
		"the same":              {false, false, 0, ""},
		"rebuilt":               {false, true, 1, "the UID of the namespace kube-system is"},
		"the same, not known":   {true, false, 1, "not known"},
		"rebuilt and not known": {true, true, 1, "not known"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.build()
				w.create(pod("ghost"), on("old", "namesake"))
				cfg := informer.Config{Logger: slog.New(slog.DiscardHandler), WarmStart: informer.WarmStart{Path: filepath.Join(w.t.TempDir(), "pods")}}
				at := w.address()
				_, stop := w.watched(at.cluster, cfg)
				stop()
				w.srv.Unavailable()
				if c.rebuilt {
					at.rebuild(w)
				}
				if c.denied {
					match := apitest.Match{Resource: "namespaces"}
					if _, err := w.srv.Inject(apitest.Fault{Match: match, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0))}); err != nil {
						w.t.Fatal(err)
					}
				}
				lists := w.lists()
				second := must(informer.Watch[corev1.Pod](at.cluster, cfg))
				w.run(second)
				w.pass(time.Minute)
				if !closedNow(second.Synced()) || second.Snapshot().Len() != 2 {
					w.t.Error("what the file has is not shown while the server is away")
				}
				w.back()
				want := []string{"ghost", "namesake"}
				if c.rebuilt {
					want = []string{"missing", "namesake"}
				}
				equal(w.t, "objects", names(w.t, second.Snapshot().All()), want)
				p, _, err := second.Snapshot().Get(key("namesake"))
				if err != nil || (p.Spec.NodeName == "new") != c.rebuilt {
					w.t.Errorf("%v, %v", p, err)
				}
				h, _ := second.Health()
				if n := w.lists() - lists; n != c.lists || h.Relists.Replaced != uint64(c.lists) || h.Fault != reflector.NoFault {
					w.t.Errorf("%d lists, want %d; %+v", n, c.lists, h.Health)
				}
				if c.why != "" && (h.LastErr == nil || !strings.Contains(h.LastErr.Error(), c.why)) {
					w.t.Errorf("Health says %v", h.LastErr)
				}
			})
		})
	}
}

// TestRebuiltWhileItRuns: the informer lists a cluster that was rebuilt behind the same
// address while the connection was lost, even if the watch could resume. It does not
// list the same cluster, or a cluster whose identity it may not read.
func TestRebuiltWhileItRuns(t *testing.T) {
	for name, c := range map[string]struct{ denied, rebuilt bool }{
		"the same": {}, "rebuilt": {rebuilt: true}, "the same, not known": {denied: true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				if !c.denied {
					w.build()
				}
				w.create(pod("ghost"), on("old", "namesake"))
				at := w.address()
				inf, _ := w.watched(at.cluster, informer.Config{Namespaces: []string{"default", "other"}, Logger: slog.New(slog.DiscardHandler)})
				var d diary
				w.tell(inf, &d)
				w.pass(time.Second)
				d.take()
				lists := w.lists()
				w.srv.Unavailable()
				w.pass(time.Second)
				want, told := []string{"ghost", "namesake"}, []string(nil)
				if c.rebuilt {
					at.rebuild(w)
					want, lists = []string{"missing", "namesake"}, -2
					told = []string{"Deleted default/ghost listed", "Deleted default/namesake listed", "Added default/missing listed", "Added default/namesake listed"}
				}
				w.back()
				equal(w.t, "objects", names(w.t, inf.Snapshot().All()), want)
				equal(w.t, "events", d.take(), told)
				if n := w.lists() - lists; n != 0 && !c.rebuilt {
					w.t.Errorf("%d lists", n)
				}
				asked := 0
				for _, r := range w.srv.Requests() {
					if strings.HasSuffix(r.Path, "/namespaces/kube-system") {
						asked++
					}
				}
				if asked > 3 {
					w.t.Errorf("%d requests tell the cluster from others", asked)
				}
				h, _ := inf.Health()
				if h.Fault != reflector.NoFault || (h.Relists.Replaced == 1) != c.rebuilt {
					w.t.Errorf("%+v", h.Health)
				}
			})
		})
	}
}
