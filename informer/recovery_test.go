package informer_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/reflector"
)

// TestTransientRefusal: an API server that starts denies requests, and does not
// serve types, for a moment. That costs seconds.
func TestTransientRefusal(t *testing.T) {
	for _, code := range []int{401, 403, 404} {
		for _, c := range []struct {
			name   string
			away   time.Duration // the server is unreachable before
			within time.Duration
		}{{"at once", 0, 2 * time.Second}, {"after an outage", 10 * time.Minute, 46 * time.Second}} {
			t.Run(fmt.Sprintf("%d %s", code, c.name), func(t *testing.T) {
				inWorld(t, func(w *world) {
					pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Resource: "pods"}))
					w.run(pods)
					w.advance(time.Minute)
					match := apitest.Match{Resource: "pods"}
					w.inject(apitest.Fault{Match: match, Times: 1, Action: apitest.Cut(apitest.CutReset)})
					if c.away > 0 {
						away := w.inject(apitest.Fault{Match: match, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(503, 0))})
						w.advance(c.away)
						away.Release()
					}
					w.inject(apitest.Fault{Match: match, Times: 1, Action: apitest.Respond(apitest.Failure(code, 0))})
					w.advance(time.Second)
					w.create(pod("late"))
					w.advance(c.within)
					if health, _ := pods.Health(); pods.Snapshot().Len() != 1 || health.Err != nil {
						t.Errorf("%d objects after %v: %v %v", pods.Snapshot().Len(), c.within, health.Phase, health.Err)
					}
				})
			})
		}
	}
}

func (w *world) inject(f apitest.Fault) *apitest.Injection {
	w.t.Helper()
	i, err := w.srv.Inject(f)
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// TestLastingRefusal: rights that nobody grants are asked for ever more rarely.
func TestLastingRefusal(t *testing.T) {
	for _, code := range []int{401, 403, 404, 405} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(code, 0))})
				pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Resource: "pods"}))
				w.run(pods)
				w.advance(10 * time.Minute)
				asked := w.requestTimes("pods")
				if n := len(asked); n > 30 || asked[n-1].Sub(asked[n-2]) < 30*time.Second {
					t.Errorf("%d requests, the last after %v", n, asked[n-1].Sub(asked[n-2]))
				}
				if health, _ := pods.Health(); health.Fault == reflector.NoFault || health.Phase != reflector.Waiting {
					t.Errorf("%v %v", health.Phase, health.Fault)
				}
			})
		})
	}
}

// requests returns when a resource was asked for.
func (w *world) requestTimes(resource string) (at []time.Time) {
	for _, r := range w.srv.Requests() {
		if r.Resource.Resource == resource {
			at = append(at, r.Time)
		}
	}
	return at
}

// TestSiblingRecovers: of informers that the server refuses, the first that gets an
// answer has the others ask at once.
func TestSiblingRecovers(t *testing.T) {
	for _, code := range []int{401, 403, 404, 500} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			inWorld(t, func(w *world) {
				refused := w.inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(code, 0))})
				for i := range 20 {
					w.run(must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Resource: "pods", Namespaces: []string{fmt.Sprintf("ns-%d", i)}})))
				}
				w.advance(5 * time.Minute)
				released := time.Now()
				refused.Release()
				w.advance(2 * time.Minute)
				first := map[string]time.Time{}
				var least, most time.Time
				for _, r := range w.srv.Requests() {
					if r.Resource.Resource != "pods" || r.Time.Before(released) || !first[r.Namespace].IsZero() {
						continue
					}
					first[r.Namespace], most = r.Time, r.Time
					if least.IsZero() {
						least = r.Time
					}
				}
				if took := most.Sub(least); len(first) != 20 || took > time.Second {
					t.Errorf("%d informers asked again, the last %v after the first", len(first), took)
				}
			})
		})
	}
}
