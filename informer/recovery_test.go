package informer_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/reflector"
)

// TestTransientRefusal: a starting API server briefly denies requests or does not serve a
// type. The informer recovers within seconds.
func TestTransientRefusal(t *testing.T) {
	for _, code := range []int{401, 403, 404} {
		for _, c := range []struct {
			name   string
			outage time.Duration // before the refusal
			within time.Duration
		}{{"at once", 0, 2 * time.Second}, {"after an outage", 10 * time.Minute, 46 * time.Second}} {
			t.Run(fmt.Sprintf("%d %s", code, c.name), func(t *testing.T) {
				inWorld(t, func(w *world) {
					pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Resource: "pods"}))
					w.run(pods)
					w.advance(time.Minute)
					match := apitest.Match{Resource: "pods"}
					w.inject(apitest.Fault{Match: match, Times: 1, Action: apitest.Cut(apitest.CutReset)})
					if c.outage > 0 {
						outage := w.inject(apitest.Fault{Match: match, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(503, 0))})
						w.advance(c.outage)
						outage.Release()
					}
					w.inject(apitest.Fault{Match: match, Times: 1, Action: apitest.Respond(apitest.Failure(code, 0))})
					w.advance(time.Second)
					w.create(pod("late"))
					w.advance(c.within)
					if health, _ := pods.Health(); pods.Snapshot().Records().Len() != 1 || health.Err != nil {
						t.Errorf("after %v: got %d objects, phase %v, error %v, want 1 object, no error", c.within, pods.Snapshot().Records().Len(), health.Phase, health.Err)
					}
				})
			})
		}
	}
}

// inject injects a fault into the server.
func (w *world) inject(f apitest.Fault) *apitest.Injection {
	w.t.Helper()
	i, err := w.srv.Inject(f)
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// TestLastingRefusal: retries of a request that the server always refuses become rarer.
func TestLastingRefusal(t *testing.T) {
	for _, code := range []int{401, 403, 404, 405} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(code, 0))})
				pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Resource: "pods"}))
				w.run(pods)
				w.advance(10 * time.Minute)
				times := w.requestTimes("pods")
				n := len(times)
				rounds := slices.Compact(times) // several forms of a list are requested at once
				wait := rounds[len(rounds)-1].Sub(rounds[len(rounds)-2])
				if n > 30 || wait < 30*time.Second {
					t.Errorf("got %d requests, the last after %v, want at most 30, at least 30s", n, wait)
				}
				if health, _ := pods.Health(); health.Fault == reflector.NoFault || health.Phase != reflector.Waiting {
					t.Errorf("got phase %v, fault %v, want Waiting and a fault", health.Phase, health.Fault)
				}
			})
		})
	}
}

// requestTimes returns the times of the requests for a resource.
func (w *world) requestTimes(resource string) (at []time.Time) {
	for _, r := range w.srv.Requests() {
		if r.Resource.Resource == resource {
			at = append(at, r.Time)
		}
	}
	return at
}

// TestSiblingRecovers: when one of the informers that the server refuses recovers, the others
// retry immediately.
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
				var earliest, latest time.Time
				for _, r := range w.srv.Requests() {
					if r.Resource.Resource != "pods" || r.Time.Before(released) || !first[r.Namespace].IsZero() {
						continue
					}
					first[r.Namespace], latest = r.Time, r.Time
					if earliest.IsZero() {
						earliest = r.Time
					}
				}
				if took := latest.Sub(earliest); len(first) != 20 || took > time.Second {
					t.Errorf("got retries of %d informers, the last %v after the first, want 20 within 1s", len(first), took)
				}
			})
		})
	}
}
