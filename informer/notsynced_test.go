package informer_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
)

// readErrors returns the error of each way to read objects of a snapshot.
func readErrors(s informer.Snapshot[corev1.Pod], x *informer.Index[corev1.Pod]) map[string]error {
	errs := map[string]error{"Err": s.Err()}
	_, _, errs["Get"] = s.Get(key("one"))
	_, errs["Len"] = s.Len()
	keys, err := s.Keys()
	errs["Keys"] = err
	inNamespace, err := s.Keys("default")
	errs["Keys of a namespace"] = err
	indexed, err := x.Keys(s, "a")
	errs["Index.Keys"] = err
	_, errs["Index.Len"] = x.Len(s, "a")
	values, err := x.Values(s)
	errs["Index.Values"] = err
	for range values {
		if err != nil {
			errs["Index.Values"] = nil
		}
	}
	for name, all := range map[string]func(func(*corev1.Pod, error) bool){
		"All": s.All(), "Namespace": s.Namespace("default"), "Select": s.Select("a!=b"), "Index.Get": x.Get(s, "a"),
	} {
		for _, err := range all {
			errs[name] = err
		}
	}
	if err != nil && len(slices.Collect(keys))+len(slices.Collect(inNamespace))+len(slices.Collect(indexed)) > 0 {
		errs["Keys"] = nil
	}
	return errs
}

// TestReadsBeforeSync: every read of an informer that is not synced returns ErrNotSynced, by a
// snapshot as well as in a view: before Run, during the first list, and in a zero Snapshot.
// After the first list none does.
func TestReadsBeforeSync(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"))
		pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		byNode := must(informer.IndexField(pods, "spec.nodeName"))
		check := func(when string, s informer.Snapshot[corev1.Pod], want error) {
			t.Helper()
			errs := readErrors(s, byNode)
			if len(errs) != 12 {
				t.Errorf("%s: got the errors of %d reads, want 12: %v", when, len(errs), errs)
			}
			for read, err := range errs {
				if !errors.Is(err, want) {
					t.Errorf("%s, %s: got error %v, want %v", when, read, err, want)
				}
			}
		}
		both := func(when string, want error) {
			t.Helper()
			check(when, pods.Snapshot(), want)
			check(when+", in a view", pods.In(pods.View()), want)
		}
		check("the zero Snapshot", informer.Snapshot[corev1.Pod]{}, informer.ErrNotSynced)
		both("before Run", informer.ErrNotSynced)
		late := w.inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(500, 0))})
		stop := w.start(pods)
		w.advance(time.Minute)
		both("before the first list", informer.ErrNotSynced)
		late.Release()
		<-pods.Synced()
		both("after the first list", nil)
		stop()
		both("after Run", nil)
	})
}
