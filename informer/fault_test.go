package informer_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/reflector"
)

// faultCase is an injected fault, and the lists that it may cause.
type faultCase struct {
	name   string
	action apitest.Action
	times  int
	after  int // number of events, items or requests before the fault
	lists  int // maximum number of complete lists, including the first
}

// watchFaults are faults of a running watch. Only an expired version may cause another list.
var watchFaults = []faultCase{
	{"clean end", apitest.Cut(apitest.CutClean), 3, 2, 1},
	{"reset", apitest.Cut(apitest.CutReset), 3, 2, 1},
	{"cut in a frame", apitest.Cut(apitest.CutMidFrame), 3, 2, 1},
	{"stall", apitest.Stall(), 1, 2, 1},
	{"damaged framing", apitest.Garbage(apitest.GarbageFraming), 3, 2, 1},
	{"unreadable object", apitest.Garbage(apitest.GarbageObject), 3, 2, 1},
	{"object of another kind", apitest.Garbage(apitest.GarbageOtherKind), 3, 2, 1},
	{"unknown type of event", apitest.Garbage(apitest.GarbageEventType), 3, 2, 1},
	{"410 in the stream", apitest.InStreamError(apitest.Failure(410, 0)), 1, 2, 2},
	{"429 in the stream", apitest.InStreamError(apitest.Failure(429, 3*time.Second)), 1, 2, 1},
	{"500 in the stream", apitest.InStreamError(apitest.Failure(500, 0)), 3, 2, 1},
	{"version that runs backwards", apitest.Backwards(3), 3, 2, 1},
}

func TestFaultsOfARunningWatch(t *testing.T) {
	t.Parallel()
	for _, c := range watchFaults {
		t.Run(c.name, func(t *testing.T) {
			t.Run("protobuf", func(t *testing.T) { testWatchFault[corev1.Pod](t, c) })
			t.Run("json", func(t *testing.T) { testWatchFault[unstructured.Unstructured](t, c) })
			t.Run("metadata", func(t *testing.T) { testWatchFault[metav1.PartialObjectMetadata](t, c) })
		})
	}
}

// testWatchFault checks that an informer recovers from a fault of its watch.
func testWatchFault[T any](t *testing.T, c faultCase) {
	withInformer(t, apitest.Config{}, informer.Config{Resource: "pods"}, nil, func(w *checkedInformer[T]) {
		w.advance(time.Second)
		c.inject(t, w.srv, apitest.VerbWatch)
		for round := range 10 {
			w.churn(round)
			w.advance(20 * time.Second)
		}
		w.settle()
		lists, _ := w.requests()
		if lists > c.lists {
			w.t.Errorf("got %d lists, want at most %d", lists, c.lists)
		}
	})
}

// inject injects the fault. The test fails if the fault never occurs.
func (c faultCase) inject(t *testing.T, srv *apitest.Server, verb apitest.Verb) {
	t.Helper()
	i, err := srv.Inject(apitest.Fault{
		Match:  apitest.Match{Verb: verb, Resource: "pods"},
		Times:  c.times,
		After:  c.after,
		Action: c.action,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if i.Hits() == 0 {
			t.Error("the fault did not occur")
		}
	})
}

// requestFaults are responses to the requests that open a list or a watch.
var requestFaults = []faultCase{
	{"401", apitest.Respond(apitest.Failure(401, 0)), 2, 0, 0},
	{"403", apitest.Respond(apitest.Failure(403, 0)), 2, 0, 0},
	{"404", apitest.Respond(apitest.Failure(404, 0)), 2, 0, 0},
	{"410", apitest.Respond(apitest.Failure(410, 0)), 2, 0, 0},
	{"429", apitest.Respond(apitest.Failure(429, 2*time.Second)), 2, 0, 0},
	{"500", apitest.Respond(apitest.Failure(500, 0)), 2, 0, 0},
	{"503", apitest.Respond(apitest.Failure(503, 0)), 2, 0, 0},
	{"no answer", apitest.Hang(), 1, 0, 0},
}

// listFaults are faults in the body of a list, in pages or streamed.
var listFaults = []faultCase{
	{"clean end", apitest.Cut(apitest.CutClean), 2, 1, 0},
	{"reset", apitest.Cut(apitest.CutReset), 2, 1, 0},
	{"cut in an item", apitest.Cut(apitest.CutMidFrame), 2, 1, 0},
	{"stall", apitest.Stall(), 1, 1, 0},
	{"damaged framing", apitest.Garbage(apitest.GarbageFraming), 2, 1, 0},
	{"unreadable object", apitest.Garbage(apitest.GarbageObject), 2, 1, 0},
	{"another kind", apitest.Garbage(apitest.GarbageOtherKind), 2, 1, 0},
	{"error instead of the list", apitest.InStreamError(apitest.Failure(500, 0)), 2, 1, 0},
	{"version that runs backwards", apitest.Backwards(1), 1, 1, 0},
}

func TestFaultsOfTheFirstList(t *testing.T) {
	t.Parallel()
	for _, c := range append(requestFaults, listFaults...) {
		for _, mode := range []struct {
			name      string
			streaming reflector.Streaming
			verb      apitest.Verb
		}{{"streamed", reflector.PreferStreaming, apitest.VerbWatch}, {"pages", reflector.PagesOnly, apitest.VerbList}} {
			t.Run(c.name+"/"+mode.name, func(t *testing.T) {
				t.Run("protobuf", func(t *testing.T) { testListFault[corev1.Pod](t, c, mode.streaming, mode.verb) })
				t.Run("json", func(t *testing.T) { testListFault[unstructured.Unstructured](t, c, mode.streaming, mode.verb) })
			})
		}
	}
}

// testListFault checks that an informer recovers from a fault of its first list.
func testListFault[T any](t *testing.T, c faultCase, mode reflector.Streaming, verb apitest.Verb) {
	cfg := informer.Config{Resource: "pods", Reflector: reflector.Config{Streaming: mode, PageSize: 2}}
	before := func(srv *apitest.Server) { c.inject(t, srv, verb) }
	withInformer(t, apitest.Config{}, cfg, before, func(w *checkedInformer[T]) {
		for round := range 5 {
			w.churn(round)
			w.advance(20 * time.Second)
		}
		w.settle()
		select {
		case <-w.inf.Synced():
		default:
			health, _ := w.inf.Health()
			w.t.Errorf("the informer is not synced; health: %+v", health)
		}
	})
}
