package clientgo_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
)

// quiet are options for tests with expected faults.
var quiet = clientgo.Options{Logger: slog.New(slog.DiscardHandler)}

// TestMissedDeletion: a handler gets a tombstone for an object that is missing after a
// relist, and a tombstone and an addition for an object that was replaced.
func TestMissedDeletion(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/gone", "a/other", "a/same")
		inf := w.pods(quiet)
		d := &diary{}
		if _, err := inf.AddEventHandler(d); err != nil {
			t.Fatal(err)
		}
		defer run(t, inf)()
		synctest.Wait()
		inject(t, w, apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.Cut(apitest.CutClean)})
		inject(t, w, apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.Respond(apierrors.NewResourceExpired("too old").Status())})
		pods := w.client.CoreV1().Pods("a")
		err := errors.Join(pods.Delete(t.Context(), "gone", metav1.DeleteOptions{}), pods.Delete(t.Context(), "other", metav1.DeleteOptions{}))
		if err != nil {
			t.Fatal(err)
		}
		w.create("a/other")
		<-time.After(time.Minute)
		got := d.read()
		slices.Sort(got[3:])
		want := []string{"add gone true", "add other true", "add same true", "add other false", "missed a/gone gone", "missed a/other other"}
		if !slices.Equal(got, want) {
			t.Errorf("the handler got %q, want %q", got, want)
		}
	})
}

func inject(t *testing.T, w *world, f apitest.Fault) {
	t.Helper()
	if _, err := w.server.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// TestWatchErrorHandler: the handler gets a reflector, the error before each wait, and each fault
// in a stream. The first refusal is no reason to wait, because a list in another form follows.
func TestWatchErrorHandler(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one")
		forbidden := apierrors.NewForbidden(corev1.Resource("pods"), "", errors.New("no")).Status()
		inject(t, w, apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: 2, Action: apitest.Respond(forbidden)})
		inf := w.pods(quiet)
		var refused, inStream atomic.Int64
		err := inf.SetWatchErrorHandler(func(r *cache.Reflector, err error) {
			if r == nil || r.LastSyncResourceVersion() != "" {
				t.Error("the handler got no reflector")
			}
			switch {
			case apierrors.IsForbidden(err):
				refused.Add(1)
			case apierrors.IsInternalError(err):
				inStream.Add(1)
			default:
				t.Errorf("the handler got %v", err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer run(t, inf)()
		inject(t, w, apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.InStreamError(metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "broken",
		})})
		w.create("a/two")
		<-time.After(time.Minute)
		if refused.Load() != 1 || inStream.Load() != 1 {
			t.Errorf("%d refusals and %d errors in a stream, want 1 and 1", refused.Load(), inStream.Load())
		}
		if keys := inf.GetStore().ListKeys(); fmt.Sprint(keys) != "[a/one a/two]" {
			t.Errorf("the store has %q", keys)
		}
		if err := inf.SetWatchErrorHandler(nil); err == nil {
			t.Error("a watch error handler was set while the informer runs")
		}
	})
}

// TestWatchErrorHandlerWaits: an informer waits before it calls the handler again, although an
// attempt has several requests. So a handler that blocks from its second call on does not keep an
// informer from ending if it was stopped after the first.
func TestWatchErrorHandlerWaits(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		forbidden := apierrors.NewForbidden(corev1.Resource("pods"), "", errors.New("no")).Status()
		inject(t, w, apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: 1000, Action: apitest.Respond(forbidden)})
		inf := w.pods(quiet)
		calls := make(chan time.Time)
		if err := inf.SetWatchErrorHandler(func(*cache.Reflector, error) { calls <- time.Now() }); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			inf.RunWithContext(ctx)
		}()
		last := <-calls
		for range 5 {
			at := <-calls
			if at.Sub(last) < 100*time.Millisecond {
				t.Errorf("the handler was called %v after the call before", at.Sub(last))
			}
			last = at
		}
		cancel()
		<-done
	})
}

// TestFailingIndex: an index function that fails or panics takes no object out of the
// store, and the next object is indexed.
func TestFailingIndex(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one", "a/two", "a/three")
		inf := w.pods(quiet)
		err := inf.AddIndexers(cache.Indexers{"odd": func(obj any) ([]string, error) {
			switch obj.(*corev1.Pod).Name {
			case "one":
				return nil, errors.New("no value")
			case "two":
				var none []string
				return none[5:], nil
			}
			return []string{"yes", "yes"}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := inf.AddIndexers(cache.Indexers{"odd": cache.MetaNamespaceIndexFunc}); err == nil {
			t.Error("a second index of the same name was added")
		}
		defer run(t, inf)()
		x := inf.GetIndexer()
		if keys, err := x.IndexKeys("odd", "yes"); err != nil || !slices.Equal(keys, []string{"a/three"}) || len(x.ListKeys()) != 3 {
			t.Errorf("IndexKeys returned %q, %v; the store has %q", keys, err, x.ListKeys())
		}
		if err := inf.AddIndexers(cache.Indexers{"name": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Name, "all"}, nil }}); err != nil {
			t.Fatal(err)
		}
		if keys, err := x.IndexKeys("name", "all"); err != nil || len(keys) != 3 {
			t.Errorf("an index that was added later has %q, %v", keys, err)
		}
		if both, err := x.Index("name", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "two"}}); err != nil || len(both) != 3 {
			t.Errorf("Index returned %d objects, %v; want each once", len(both), err)
		}
		if _, err := x.ByIndex("none", ""); err == nil {
			t.Error("a query of an unknown index returned no error")
		}
	})
}
