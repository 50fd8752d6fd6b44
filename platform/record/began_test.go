package record_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// TestStateBegan checks that a program that starts while an object is in a state gives the
// state the same ID as a program that saw the state begin, even if the revision that began
// the state was pruned. An unknown revision is an error.
func TestStateBegan(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		stop := w.record("one")
		defer stop()
		w.until("SELECT COUNT(*) FROM coverage", "1") // from here on the recorder covers the scope
		pods := history.Type{Resource: "pods"}
		origin := func(ctx context.Context, r controller.Revision[corev1.Pod]) (wire.Version, error) {
			return history.New(w.d).StateBegan(ctx, "", pods, r.UID, r.Version)
		}
		next, end := w.follow(origin)
		w.create(pod("a"))
		queued := next()
		w.phase("a", "Running")
		running := next()
		touch := func(message string) apitest.Object {
			obj, err := apitest.Modify(w.srv, pod("a"), func(p *corev1.Pod) { p.Status.Message = message })
			if err != nil {
				t.Fatal(err)
			}
			return obj
		}
		touch("x")
		obj := touch("y")
		end()
		if queued == running {
			t.Errorf("%s twice", queued)
		}
		for _, prune := range []bool{false, true} {
			if w.until("SELECT version FROM objects", obj.GetResourceVersion()); prune {
				if p, err := retention.Prune(t.Context(), w.d, retention.Policy{Keep: time.Nanosecond}); err != nil || p.Revisions == 0 || p.Transitions == 0 {
					t.Fatalf("prune: got %+v and error %v, want revisions and transitions removed", p, err)
				}
			}
			next, end := w.follow(origin)
			if got := next(); got != running {
				t.Errorf("got %s at the start and %s when the state began; want the same ID", got, running)
			}
			end()
		}
		for _, of := range []history.Type{pods, {Resource: "cows"}} {
			if _, err := history.New(w.d).StateBegan(t.Context(), "", of, string(obj.GetUID()), 1_000_000); !errors.Is(err, history.ErrUnknown) {
				t.Errorf("type %v: got %v, want ErrUnknown", of, err)
			}
		}
	})
}

// follow runs a program that follows the transitions of pods. next returns the ID of the
// next state.
func (w *world) follow(origin func(context.Context, controller.Revision[corev1.Pod]) (wire.Version, error)) (next func() string, end func()) {
	inf, err := informer.Watch[corev1.Pod](w.cluster, informer.Config{})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[corev1.Pod]{})
	ended := make(chan error, 2)
	go func() { ended <- inf.Run(ctx) }()
	go func() {
		ended <- controller.Revisions(ctx, inf, queue, controller.RevisionsConfig[corev1.Pod]{
			Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{informer.ChangedBy(job.StateOf[corev1.Pod])}}, FirstVersion: origin,
		})
	}()
	next = func() string {
		item, err := queue.Get(ctx)
		if err == nil {
			err = queue.Done(item.Item)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		return item.Item.ID()
	}
	return next, func() {
		cancel()
		if errs := []error{<-ended, <-ended}; slices.ContainsFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, context.Canceled) }) {
			w.t.Errorf("got errors %s, want none but the end of the context", fmt.Sprint(errs))
		}
	}
}
