package controller_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

type revisions = controller.RevisionsConfig[corev1.Pod]

// process is a run of a program that follows pods as a user and records the kind and the ID
// of each revision.
type process struct {
	diary
	ended chan error // the result of Revisions
	stop  func()
}

func (w *world) process(user string, of informer.Config, cfg revisions) *process {
	cluster := w.connect(user)
	pods := must[*informer.Informer[corev1.Pod]](w.t)(informer.Watch[corev1.Pod](cluster, of))
	queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[corev1.Pod]{})
	ctx, cancel := context.WithCancel(w.ctx)
	p := &process{ended: make(chan error, 1)}
	running, work := make(chan struct{}), make(chan struct{})
	w.work.Go(func() {
		defer close(running)
		_ = pods.Run(ctx)
	})
	w.work.Go(func() { p.ended <- controller.Revisions(ctx, pods, queue, cfg) })
	w.work.Go(func() {
		defer close(work)
		for {
			item, err := queue.Get(ctx)
			if err != nil {
				return
			}
			what := item.Item.Kind.String()
			if ev := item.Item.Event(); ev.Missed() {
				what = "Missed"
			}
			p.note("%s %s", what, item.Item.ID())
			_ = queue.Done(item.Item)
		}
	})
	p.stop = func() {
		cancel()
		<-running
		<-work
		cluster.Close()
	}
	pass(time.Second)
	return p
}

// form returns the current UID and version of a pod.
func (w *world) form(name string) (uid, version string) {
	w.t.Helper()
	obj := must[apitest.Object](w.t)(w.srv.Get(pod(name)))
	return string(obj.GetUID()), obj.GetResourceVersion()
}

// TestIDsAcrossRestarts: without a filter that chooses updates, a state has the same ID
// whether its begin was seen or it was found at a start.
func TestIDsAcrossRestarts(t *testing.T) {
	inWorld(t, func(w *world) {
		p := w.process("0", informer.Config{}, revisions{})
		w.create(pod("a"))
		uid, first := w.form("a")
		w.phase("a", "Running")
		_, second := w.form("a")
		pass(time.Second)
		p.stop()
		equal(t, "seen", p.take(), []string{"Added /" + uid + "/" + first, "Updated /" + uid + "/" + second})
		p = w.process("0", informer.Config{}, revisions{})
		p.stop()
		equal(t, "at the start", p.take(), []string{"Added /" + uid + "/" + second})
	})
}

// TestIDsWithFilter: with a filter that chooses updates, the ID contains the first version
// that showed the state, even if a restart finds a later version.
func TestIDsWithFilter(t *testing.T) {
	inWorld(t, func(w *world) {
		asked, tries := []string{}, 0
		began := map[string]wire.Version{} // by UID
		cfg := revisions{
			Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{informer.ChangedBy(phaseOf)}},
			FirstVersion: func(_ context.Context, r controller.Revision[corev1.Pod]) (wire.Version, error) {
				if tries++; tries == 1 {
					return 0, errors.New("not yet")
				}
				asked = append(asked, fmt.Sprint(r.Kind, " ", r.Version))
				return began[r.UID], nil
			},
		}
		p := w.process("0", informer.Config{}, cfg)
		w.create(pod("a"))
		w.phase("a", "Running")
		uid, second := w.form("a")
		began[uid] = must[wire.Version](t)(wire.ParseVersion(second))
		w.touch("a")
		_, third := w.form("a")
		pass(time.Second)
		p.stop()
		seen := p.take()
		if len(seen) != 2 || seen[1] != "Updated /"+uid+"/"+second {
			t.Errorf("got %v, want 2 revisions, the second \"Updated\" at version %s", seen, second)
		}
		p = w.process("0", informer.Config{}, cfg)
		p.stop()
		equal(t, "at the start", p.take(), []string{"Added /" + uid + "/" + second})
		equal(t, "calls of FirstVersion", asked, []string{"Added " + third})

		cfg.FirstVersion, cfg.IDs = nil, controller.PerRunIDs
		p = w.process("0", informer.Config{}, cfg)
		p.stop()
		equal(t, "with PerRunIDs", p.take(), []string{"Added /" + uid + "/" + third})
	})
}

// TestIDsOfDeletions: a deletion has one ID, seen or missed. An object that is no longer
// selected has another ID: it is not deleted.
func TestIDsOfDeletions(t *testing.T) {
	inWorld(t, func(w *world) {
		a := pod("a")
		a.Labels = map[string]string{"app": "x"}
		w.create(a)
		chosen := must[informer.Filter](t)(informer.WithLabels("app=x"))
		sees := w.process("1", informer.Config{}, revisions{})
		misses := w.process("2", informer.Config{}, revisions{})
		filters := w.process("3", informer.Config{}, revisions{Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{chosen}}})
		selects := w.process("3", informer.Config{LabelSelector: "app=x"}, revisions{})
		uid, first := w.form("a")
		relabel := func(app string) {
			must[apitest.Object](t)(apitest.Modify(w.srv, pod("a"), func(p *corev1.Pod) { p.Labels = map[string]string{"app": app} }))
			pass(time.Second)
		}
		relabel("y")
		relabel("x")
		_, back := w.form("a")
		of := apitest.Match{Verb: apitest.VerbWatch, Where: func(r apitest.Request) bool { return r.User == "two" }}
		hang := w.inject(apitest.Fault{Match: of, Times: apitest.Always, Action: apitest.Hang()})
		<-w.inject(apitest.Fault{Match: of, Action: apitest.Cut(apitest.CutReset)}).Struck()
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		w.create(pod("b"))
		pass(time.Second)
		w.srv.Compact()
		hang.Release()
		pass(time.Minute)
		for what, p := range map[string]*process{"Deleted": sees, "Missed": misses} {
			if all := p.take(); len(all) != 5 || all[3] != what+" /"+uid+"/deleted" {
				t.Errorf("%s: got %v, want 5 revisions, the fourth with the ID of the deletion", what, all)
			}
		}
		added, left := "Added /"+uid+"/", "Deleted /"+uid+"/left/"
		equal(t, "filter", filters.take(), []string{added + first, left + first, added + back, "Deleted /" + uid + "/deleted"})
		equal(t, "selector", selects.take(), []string{added + first, left + first, added + back, left + back})
		for _, p := range []*process{sees, misses, filters, selects} {
			p.stop()
		}
	})
}

// TestIDsWithoutUID: the ID of an object without a UID has its key, and the version also
// for a deletion, because a later object may have the same key.
func TestIDsWithoutUID(t *testing.T) {
	r := controller.Revision[corev1.Pod]{Key: wire.Key{Cluster: "east", Namespace: "ml", Name: "a"}, Kind: store.Updated, Version: 4, First: 3}
	ids := []string{r.ID()}
	r.Kind = store.Deleted
	equal(t, "IDs", append(ids, r.ID()), []string{"east/ml/a/3", "east/ml/a/deleted/3"})
}

// TestIDsOfTheChosen: an object that becomes selected may already have been in its state,
// so its ID comes from FirstVersion. A new object was not.
func TestIDsOfTheChosen(t *testing.T) {
	inWorld(t, func(w *world) {
		chosen := must[informer.Filter](t)(informer.WithLabels("app=x"))
		cfg := revisions{
			Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{informer.ChangedBy(phaseOf), chosen}},
			FirstVersion: func(context.Context, controller.Revision[corev1.Pod]) (wire.Version, error) { return 1, nil },
		}
		p := w.process("0", informer.Config{}, cfg)
		w.create(pod("a"))
		must[apitest.Object](t)(apitest.Modify(w.srv, pod("a"), func(p *corev1.Pod) { p.Labels = map[string]string{"app": "x"} }))
		uid, _ := w.form("a")
		pass(time.Second)
		p.stop()
		equal(t, "revisions", p.take(), []string{"Added /" + uid + "/1"})
	})
}

// TestIDsNeedHistory: Revisions returns an error if IDs cannot be stable, and if the
// history does not respond or returns an impossible version.
func TestIDsNeedHistory(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("a"))
		changed := informer.SubscriptionConfig{Filters: []informer.Filter{informer.ChangedBy(phaseOf)}}
		says := func(v wire.Version, err error) revisions {
			return revisions{Subscription: changed, FirstVersion: func(context.Context, controller.Revision[corev1.Pod]) (wire.Version, error) { return v, err }}
		}
		hangs := revisions{Subscription: changed, FirstVersion: func(ctx context.Context, _ controller.Revision[corev1.Pod]) (wire.Version, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}}
		for name, c := range map[string]struct {
			cfg  revisions
			want string
		}{
			"none":    {revisions{Subscription: changed}, "package record keeps one"},
			"IDs":     {revisions{IDs: 7}, "IDs is 7"},
			"fails":   {says(0, errors.New("no connection")), "no connection"},
			"zero":    {says(0, nil), "want one from 1"},
			"later":   {says(1000, nil), "want one from 1"},
			"hangs":   {hangs, "deadline exceeded"},
			"cleanly": {revisions{Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{informer.AnyUpdate(changed.Filters[0], informer.InNamespaces("default"))}}}, "canceled"},
		} {
			p := w.process("0", informer.Config{}, c.cfg)
			pass(20 * time.Second)
			p.stop()
			if err := <-p.ended; err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got error %v, want %q", name, err, c.want)
			}
			if n := len(p.take()); (n > 0) != (name == "cleanly") {
				t.Errorf("%s: got %d queued revisions", name, n)
			}
		}
	})
}

// phaseOf is a value of a pod that changes with its state.
func phaseOf(p *corev1.Pod) corev1.PodPhase { return p.Status.Phase }
