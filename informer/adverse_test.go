package informer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
)

// TestTokenFileRotates: an informer continues within two minutes after the token in its
// file was replaced and the old token was revoked. client-go reads the file once a minute.
func TestTokenFileRotates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, _ := serve(t, apitest.Config{Tokens: map[string]string{"1": "first", "2": "second"}})
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte("1"), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg := srv.RESTConfig()
		cfg.BearerTokenFile = file
		cluster := must(kube.Connect(kube.Config{REST: cfg}))
		defer cluster.Close()
		w := &world{t: t, srv: srv, cluster: cluster}
		w.ctx, w.cancel = context.WithCancel(t.Context())
		defer w.work.Wait()
		defer w.cancel()
		inf := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
		w.run(inf)
		w.create(pod("before"))
		w.advance(10 * time.Second)
		if err := os.WriteFile(file, []byte("2"), 0o600); err != nil {
			t.Fatal(err)
		}
		revoked := must(srv.Inject(apitest.Fault{
			Match: apitest.Match{Where: func(r apitest.Request) bool { return r.User == "first" }}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(401, 0)),
		}))
		must(srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Times: 1, Action: apitest.Cut(apitest.CutMidFrame)}))
		w.create(pod("after"))
		w.advance(2 * time.Minute)
		if h, _ := inf.Health(); h.Err != nil || inf.Snapshot().Records().Len() != 2 || revoked.Hits() == 0 {
			t.Errorf("got %d objects, %d refusals and error %v, want 2 objects, at least 1 refusal and no error", inf.Snapshot().Records().Len(), revoked.Hits(), h.Err)
		}
	})
}

// TestRemoveClusterDuringList: no object remains of a cluster that is removed while its list
// arrives, and the cluster can be added again.
func TestRemoveClusterDuringList(t *testing.T) {
	for _, streaming := range []apitest.Streaming{apitest.StreamingSupported, apitest.StreamingRefused} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{t: t}
			w.srv, w.cluster = serve(t, apitest.Config{StreamingLists: streaming})
			w.ctx, w.cancel = context.WithCancel(t.Context())
			defer w.work.Wait()
			defer w.cancel()
			for i := range 20 {
				w.create(pod(fmt.Sprint("pod-", i)))
			}
			other := must(apitest.New(apitest.Config{}))
			defer other.Close()
			must(other.Create(pod("other")))
			inf := must(informer.Across[corev1.Pod](informer.Config{}))
			for name, cluster := range map[string]*kube.Cluster{"large": w.cluster, "small": connect(t, other)} {
				if err := inf.AddCluster(name, cluster); err != nil {
					t.Fatal(err)
				}
			}
			stalled := must(w.srv.Inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Stall()}))
			w.run(inf)
			w.advance(time.Second)
			if isClosed(inf.Synced()) {
				t.Error("the informer is synced before the list is complete")
			}
			if err := inf.RemoveCluster(w.ctx, "large"); err != nil {
				t.Fatal(err)
			}
			w.advance(time.Minute)
			if n := inf.Snapshot().Records().Len(); n != 1 || !isClosed(inf.Synced()) {
				t.Errorf("got %d objects, synced %v, want 1 object of the other cluster, synced true", n, isClosed(inf.Synced()))
			}
			stalled.Release()
			if err := inf.AddCluster("large", w.cluster); err != nil {
				t.Fatal(err)
			}
			w.advance(time.Minute)
			if n := inf.Snapshot().Records().Len(); n != 21 {
				t.Errorf("got %d objects, want 21", n)
			}
		})
	}
}

// TestMembersOfDifferentVersions: behind a load balancer, one of two API servers refuses
// streaming lists, and one of three requests reaches a server whose watch cache lags.
func TestMembersOfDifferentVersions(t *testing.T) {
	inWorld(t, func(w *world) {
		every := func(k int, also func(apitest.Request) bool) apitest.Match {
			var mu sync.Mutex
			n := 0
			return apitest.Match{Resource: "pods", Where: func(r apitest.Request) bool {
				mu.Lock()
				defer mu.Unlock()
				if !also(r) {
					return false
				}
				n++
				return n%k == 0
			}}
		}
		older := must(w.srv.Inject(apitest.Fault{Match: every(2, apitest.Request.Streaming), Times: apitest.Always, Action: apitest.Respond(apitest.Failure(422, 0))}))
		behind := apitest.Failure(504, time.Second)
		behind.Reason, behind.Message = metav1.StatusReasonTimeout, "Too large resource version: 12, current: 10"
		behind.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
		lagging := must(w.srv.Inject(apitest.Fault{Match: every(3, func(apitest.Request) bool { return true }), Times: apitest.Always, Action: apitest.Respond(behind)}))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		w.run(inf)
		for i := range 30 {
			w.create(pod(fmt.Sprint("pod-", i)))
			if i%3 == 0 {
				must(w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Times: 1, Action: apitest.InStreamError(apitest.Failure(410, 0))}))
			}
			if i%10 == 9 {
				w.delete(fmt.Sprint("pod-", i-5))
			}
			w.advance(time.Minute)
		}
		w.advance(10 * time.Minute)
		if h, _ := inf.Health(); inf.Snapshot().Records().Len() != 27 || !h.Synced {
			t.Errorf("got %d objects, want 27; health: %+v", inf.Snapshot().Records().Len(), h)
		}
		if older.Hits() == 0 || lagging.Hits() == 0 {
			t.Errorf("got %d refused streaming lists and %d responses of a lagging server, want at least 1 of each", older.Hits(), lagging.Hits())
		}
	})
}

// TestPauseBeyondTheWatchCache: the watch cache of the server covers one minute, and the
// server is unreachable for ten minutes. The informer finds all changes, and reports the
// deletions as missed.
func TestPauseBeyondTheWatchCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t}
		w.srv, w.cluster = serve(t, apitest.Config{Window: 10})
		w.ctx, w.cancel = context.WithCancel(t.Context())
		defer w.work.Wait()
		defer w.cancel()
		w.create(pod("stays"), pod("goes"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		var events eventLog
		w.logEvents(inf, &events)
		w.run(inf)
		w.advance(time.Minute)
		events.take()
		w.srv.Unavailable()
		w.delete("goes")
		for minute := range 10 {
			w.moveTo("stays", fmt.Sprint("node-", minute))
			w.create(pod(fmt.Sprint("new-", minute)))
			w.advance(time.Minute)
		}
		if err := w.srv.Available(); err != nil {
			t.Fatal(err)
		}
		w.advance(2 * time.Minute)
		got := events.take()
		deleted := slices.IndexFunc(got, func(line string) bool { return strings.HasPrefix(line, "Deleted default/goes") })
		if deleted < 0 || !strings.HasSuffix(got[deleted], " listed") || len(got) != 12 || inf.Snapshot().Records().Len() != 11 {
			t.Errorf("got %d objects and events %q, want 11 objects, and 12 events with a listed deletion", inf.Snapshot().Records().Len(), got)
		}
	})
}

// TestManyInformers: one process runs many informers, each in its own namespace, and stops
// them. 10,000 need some GB of memory with the race detector.
func TestManyInformers(t *testing.T) {
	t.Parallel()
	usual := 10_000
	if testing.Short() || raceEnabled {
		usual = testinput.Size(t, 200, 500)
	}
	n := testinput.Cases(t, usual)
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t}
		w.srv, w.cluster = serve(t, apitest.Config{})
		w.ctx, w.cancel = context.WithCancel(t.Context())
		defer w.work.Wait()
		defer w.cancel()
		before := heapInUse()
		all := make([]*informer.Informer[corev1.Pod], n)
		for i := range all {
			namespace := fmt.Sprint("ns-", i)
			all[i] = must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Namespaces: []string{namespace}}))
			w.run(all[i])
			w.create(podIn(namespace, "one"))
		}
		w.advance(time.Minute)
		for i, inf := range all {
			if inf.Snapshot().Records().Len() != 1 || !isClosed(inf.Synced()) {
				t.Fatalf("informer %d: got %d objects, synced %v, want 1, true", i, inf.Snapshot().Records().Len(), isClosed(inf.Synced()))
			}
		}
		t.Logf("%d informers: %d goroutines, %d KB of heap each, server included", n, runtime.NumGoroutine()/n, (heapInUse()-before)/uint64(n)/1024)
	})
}

// heapInUse returns the size of the heap after a garbage collection, in bytes.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
