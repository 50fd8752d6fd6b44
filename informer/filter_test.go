package informer_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
)

// TestFilters: a subscriber with filters gets no events of other objects. It gets a deletion
// when a filter no longer chooses an object, and an addition when a filter begins to choose
// it. Filters decode no objects.
func TestFilters(t *testing.T) {
	inWorld(t, func(w *world) {
		onNode, err := informer.FieldIs[corev1.Pod]("spec.nodeName", "a", "b")
		if err != nil {
			w.t.Fatal(err)
		}
		moved, err := informer.FieldChanged[corev1.Pod]("spec.nodeName")
		if err != nil {
			w.t.Fatal(err)
		}
		labeled, err := informer.WithLabels("app=a")
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := informer.WithLabels("app in"); err == nil {
			w.t.Error("WithLabels succeeded for a malformed selector, want an error")
		}
		if _, err := informer.FieldIs[corev1.Pod]("spec.node", "a"); err == nil {
			w.t.Error("FieldIs succeeded for an unknown field, want an error")
		}
		if _, err := informer.FieldChanged[corev1.Pod]("spec["); err == nil {
			w.t.Error("FieldChanged succeeded for a malformed path, want an error")
		}
		phase := func(p *corev1.Pod) corev1.PodPhase {
			if p.APIVersion != "v1" || p.Kind != "Pod" {
				t.Errorf("the function of a filter got an object of type %q %q, want v1 Pod", p.APIVersion, p.Kind)
			}
			return p.Status.Phase
		}
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		logs := map[string]*eventLog{}
		for name, filters := range map[string][]informer.Filter{
			"namespace": {informer.InNamespaces("other")},
			"node":      {onNode},
			"labels":    {labeled},
			"moved":     {onNode, moved},
			"where":     {informer.Where(func(e store.Entry) bool { return e.Key().Name == "two" })},
			"state":     {informer.ChangedBy(phase)},
			"in order":  {informer.AnyUpdate(informer.ChangedBy(phase)), onNode},
			"changed":   {informer.Changed(func(old, new *corev1.Pod) bool { return old.Spec.NodeName == "a" && new.Spec.NodeName == "b" })},
			"matching":  {informer.Matching(func(p *corev1.Pod) bool { return p.Spec.NodeName == "x" })},
			"all":       {{}},
		} {
			events := &eventLog{}
			logs[name] = events
			w.work.Go(func() {
				for ev := range inf.Changes(w.ctx, informer.SubscriptionConfig{Filters: filters}) {
					cause := ""
					if ev.Cause() == store.Unwatched {
						cause = " unwatched"
					}
					events.add("%v %s%s", ev.Kind(), ev.Key().Name, cause)
				}
			})
		}
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second) // all have subscribed; a later subscriber would get the pods in the order of their names
		decodes := inf.Stats().Decodes
		unlabeled := podOn("a", "bare")
		unlabeled.Labels = nil
		w.create(podOn("a", "one"), unlabeled, podIn("other", "two"))
		w.advance(time.Second)
		w.moveTo("one", "b") // from one chosen node to another
		w.moveTo("one", "b") // not a change for the server
		w.advance(time.Second)
		w.moveTo("one", "x") // to a node that is not chosen
		w.advance(time.Second)
		w.moveTo("one", "a") // to a chosen node
		w.advance(time.Second)
		running, err := w.srv.Get(pod("one"))
		if err != nil {
			w.t.Fatal(err)
		}
		running.(*corev1.Pod).Status.Phase = corev1.PodRunning
		if _, err := w.srv.UpdateStatus(running); err != nil {
			w.t.Fatal(err)
		}
		w.delete("one")
		w.advance(time.Second)
		for name, want := range map[string][]string{
			"namespace": {"Added two"},
			"node":      {"Added one", "Added bare", "Updated one", "Deleted one unwatched", "Added one", "Updated one", "Deleted one"},
			"labels":    {"Added one", "Added two", "Updated one", "Updated one", "Updated one", "Updated one", "Deleted one"},
			"moved":     {"Added one", "Added bare", "Updated one", "Deleted one unwatched", "Added one", "Deleted one"},
			"where":     {"Added two"},
			"state":     {"Added one", "Added bare", "Added two", "Updated one", "Deleted one"},
			"in order":  {"Added one", "Added bare", "Deleted one unwatched", "Added one", "Updated one", "Deleted one"},
			"changed":   {"Added one", "Added bare", "Added two", "Updated one", "Deleted one"},
			"matching":  {"Added one", "Deleted one unwatched"},
			"all":       {"Added one", "Added bare", "Added two", "Updated one", "Updated one", "Updated one", "Updated one", "Deleted one"},
		} {
			equal(w.t, name, logs[name].take(), want)
		}
		if n := inf.Stats().Decodes; n != decodes {
			w.t.Errorf("got %d decoded objects, want none", n-decodes)
		}
	})
}

// TestChoosesObjectsAndUpdates: ChoosesObjects and ChoosesUpdates report whether a filter may
// reject objects or updates.
func TestChoosesObjectsAndUpdates(t *testing.T) {
	moved, err := informer.FieldChanged[corev1.Pod]("spec.nodeName")
	if err != nil {
		t.Fatal(err)
	}
	state, other := informer.ChangedBy(func(p *corev1.Pod) corev1.PodPhase { return p.Status.Phase }), informer.InNamespaces("other")
	for name, c := range map[string]struct {
		filter           informer.Filter
		objects, updates bool
	}{
		"all":                {informer.Filter{}, false, false},
		"namespace":          {other, true, false},
		"state":              {state, false, true},
		"transitions":        {informer.ChangedBy(func(p *corev1.Pod) corev1.PodPhase { return p.Status.Phase }), false, true},
		"moved":              {moved, false, true},
		"any":                {informer.AnyUpdate(state, moved), false, true},
		"any of none":        {informer.AnyUpdate(), false, true},
		"any or a namespace": {informer.AnyUpdate(state, other), false, false},
	} {
		if c.filter.ChoosesObjects() != c.objects || c.filter.ChoosesUpdates() != c.updates {
			t.Errorf("%s: chooses objects %v, updates %v, want %v, %v", name, c.filter.ChoosesObjects(), c.filter.ChoosesUpdates(), c.objects, c.updates)
		}
	}
}

// TestGenerationChanged: the filter GenerationChanged passes changes of the spec, and no
// changes of the status.
func TestGenerationChanged(t *testing.T) {
	inWorld(t, func(w *world) {
		counted := pod("counted")
		counted.Generation = 1
		w.create(counted, pod("other"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		var events eventLog
		w.work.Go(func() {
			for ev := range inf.Changes(w.ctx, informer.SubscriptionConfig{Filters: []informer.Filter{informer.GenerationChanged()}}) {
				p, err := ev.Object()
				if err != nil {
					w.t.Error(err)
				}
				events.add("%v %s %d", ev.Kind(), p.Name, p.Generation)
			}
		})
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		before := events.take()
		obj, err := w.srv.Get(pod("counted"))
		if err != nil {
			w.t.Fatal(err)
		}
		p := obj.(*corev1.Pod)
		p.Status.Phase = corev1.PodRunning
		if _, err := w.srv.UpdateStatus(p); err != nil {
			w.t.Fatal(err)
		}
		w.moveTo("counted", "a")
		w.advance(time.Second)
		if len(before) != 2 {
			w.t.Errorf("got initial events %v, want 2", before)
		}
		got := events.take()
		if len(got) != 1 {
			w.t.Errorf("got events %v, want only the change of the spec", got)
		}
	})
}

// TestFilterThatPanics: a panic of a filter is logged, and the object passes the filter.
func TestFilterThatPanics(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("bad"), pod("rejected"))
		var log bytes.Buffer
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}))
		var events eventLog
		filter := informer.Where(func(e store.Entry) bool {
			if e.Key().Name == "bad" {
				panic("on purpose")
			}
			return false
		})
		_, err := inf.Handle(informer.Handler[corev1.Pod]{OnAdd: func(_ context.Context, p *corev1.Pod, _ bool) error {
			events.add("%s", p.Name)
			return nil
		}}, informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{filter}}})
		if err != nil {
			w.t.Fatal(err)
		}
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		if got := events.take(); !slices.Equal(got, []string{"bad"}) {
			w.t.Errorf("got %v, want the pod for which the filter panicked", got)
		}
		if text := log.String(); !strings.Contains(text, "a filter panicked") || !strings.Contains(text, "default/bad") {
			w.t.Errorf("got log %q, want the panic and the object", text)
		}
	})
}
