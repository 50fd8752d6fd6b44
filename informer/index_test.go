package informer_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/wire"
)

// equal fails the test with a diff if got and want differ.
func equal[T any](t *testing.T, name string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestIndexes creates indexes by function and by field, before and while the informer runs,
// for every type of T and both storages. All have the same contents after every change.
func TestIndexes(t *testing.T) {
	t.Run("typed", func(t *testing.T) {
		indexes[corev1.Pod](t, informer.Packed, func(p *corev1.Pod) (string, bool) { return p.Spec.NodeName, true })
	})
	t.Run("live", func(t *testing.T) {
		indexes[corev1.Pod](t, informer.Live, func(p *corev1.Pod) (string, bool) { return p.Spec.NodeName, true })
	})
	t.Run("unstructured", func(t *testing.T) {
		indexes[unstructured.Unstructured](t, informer.Packed, func(u *unstructured.Unstructured) (string, bool) {
			node, ok, _ := unstructured.NestedString(u.Object, "spec", "nodeName")
			return node, ok
		})
	})
}

func indexes[T any](t *testing.T, storage informer.Storage, node func(*T) (string, bool)) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"), podOn("b", "two"), podOn("a", "three"), pod("none"), pod("unplaced"))
		inf := must(informer.Watch[T](w.cluster, informer.Config{Resource: "pods", Storage: storage}))
		before := informer.IndexByOptional(inf, node)
		field := func() *informer.Index[T] {
			x, err := informer.IndexField(inf, "spec.nodeName")
			if err != nil {
				w.t.Fatal(err)
			}
			return x
		}
		early := field()
		w.run(inf)
		<-inf.Synced()
		old := inf.Snapshot()
		all := []*informer.Index[T]{before, early, informer.IndexByOptional(inf, node), field()}
		for _, x := range all { // some were created after the snapshot
			if n, values := must(x.Len(old, "a")), maps.Collect(must(x.Values(old))); n != 2 || values["a"] != 2 || values["b"] != 1 || len(slices.Collect(must(x.Keys(old, "b")))) != 1 {
				w.t.Errorf("an index of an older snapshot has %d objects at a and values %v, want 2 at a and 1 at b", n, values)
			}
			for obj, err := range x.Get(old, "b") {
				if err != nil {
					w.t.Error(err)
				} else if got, _ := node(obj); got != "b" {
					w.t.Errorf("got an object with value %q, want b", got)
				}
			}
		}
		check := func(want map[string][]string) {
			w.t.Helper()
			w.advance(time.Second)
			s := inf.Snapshot()
			if _, always := node(new(T)); !always {
				delete(want, "") // an absent field of Unstructured has no value
			}
			counts := map[string]int{}
			for n, names := range want {
				counts[n] = len(names)
			}
			for i, x := range all {
				for n, want := range want {
					var got []string
					for k := range must(x.Keys(s, n)) {
						got = append(got, k.Name)
					}
					equal(w.t, n, got, want)
					decoded := 0
					for obj, err := range x.Get(s, n) {
						if err != nil {
							w.t.Error(err)
						} else if got, _ := node(obj); got != n {
							w.t.Errorf("index %d: got an object with value %q, want %q", i, got, n)
						}
						decoded++
					}
					if decoded != len(want) || must(x.Len(s, n)) != len(want) {
						w.t.Errorf("index %d at %q: got %d objects, Len() = %d, want %d", i, n, decoded, must(x.Len(s, n)), len(want))
					}
				}
				equal(w.t, "values", maps.Collect(must(x.Values(s))), counts)
			}
		}
		check(map[string][]string{"": {"none", "unplaced"}, "a": {"one", "three"}, "b": {"two"}})
		w.moveTo("none", "b")
		w.moveTo("one", "c")
		w.delete("three")
		check(map[string][]string{"": {"unplaced"}, "b": {"none", "two"}, "c": {"one"}})
		w.create(podOn("c", "three"))
		check(map[string][]string{"": {"unplaced"}, "b": {"none", "two"}, "c": {"one", "three"}})
	})
}

// TestObjectsWithoutAValue: the empty string is a value. An object has no value if the function
// says so, or if the field is a nil pointer or an absent key.
func TestObjectsWithoutAValue(t *testing.T) {
	inWorld(t, func(w *world) {
		labeled := pod("labeled")
		labeled.Labels = map[string]string{"tier": ""}
		w.create(podOn("a", "placed"), labeled)
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		node := func(p *corev1.Pod) string { return p.Spec.NodeName }
		field := func(path string) *informer.Index[corev1.Pod] { return must(informer.IndexField(inf, path)) }
		indexes := map[string]*informer.Index[corev1.Pod]{
			"function": informer.IndexBy(inf, node),
			"optional": informer.IndexByOptional(inf, func(p *corev1.Pod) (string, bool) { return node(p), node(p) != "" }),
			"each":     informer.IndexByEach(inf, func(p *corev1.Pod) []string { return []string{node(p)} }),
			"none":     informer.IndexByEach(inf, func(*corev1.Pod) []string { return nil }),
			"field":    field("spec.nodeName"),
			"empty":    field("spec.priorityClassName"),
			"label":    field("metadata.labels.tier"),
			"priority": field("spec.priority"),
		}
		w.run(inf)
		<-inf.Synced()
		for name, want := range map[string]map[string]int{
			"function": {"": 1, "a": 1}, "optional": {"a": 1}, "each": {"": 1, "a": 1}, "none": {},
			"field": {"": 1, "a": 1}, "empty": {"": 2}, "label": {"": 1}, "priority": {},
		} {
			equal(w.t, name, maps.Collect(must(indexes[name].Values(inf.Snapshot()))), want)
			if n := must(indexes[name].Len(inf.Snapshot(), "")); n != want[""] {
				w.t.Errorf("%s: got %d objects with an empty value, want %d", name, n, want[""])
			}
		}
		unplaced, err := informer.FieldIs[corev1.Pod]("spec.nodeName", "")
		if err != nil {
			w.t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute) // an input: fake time: the caller is a bubble
		defer cancel()
		var selected []string
		for ev := range inf.Changes(ctx, informer.SubscriptionConfig{Filters: []informer.Filter{unplaced}}) {
			selected = append(selected, ev.Key().Name)
		}
		equal(w.t, "objects with an empty node", selected, []string{"labeled"})
	})
}

// TestMultiValuedIndex: an object may have several values or none.
func TestMultiValuedIndex(t *testing.T) {
	inWorld(t, func(w *world) {
		owned := func(name string, owners ...string) *corev1.Pod {
			p := pod(name)
			for _, o := range owners {
				p.OwnerReferences = append(p.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: o, UID: ownerUID(o)})
			}
			return p
		}
		w.create(owned("both", "x", "y"), owned("x", "x"), owned("none"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		byEach := informer.IndexByEach(inf, func(p *corev1.Pod) (out []string) {
			for _, o := range p.OwnerReferences {
				out = append(out, string(o.UID))
			}
			return append(out, out...) // duplicates count once
		})
		byField, err := informer.IndexField(inf, "metadata.ownerReferences[*].uid")
		if err != nil {
			w.t.Fatal(err)
		}
		label, err := informer.IndexField(inf, "metadata.labels['app']")
		if err != nil {
			w.t.Fatal(err)
		}
		w.run(inf)
		<-inf.Synced()
		s := inf.Snapshot()
		for _, x := range []*informer.Index[corev1.Pod]{byEach, byField} {
			equal(w.t, "x", names(w.t, x.Get(s, string(ownerUID("x")))), []string{"both", "x"})
			equal(w.t, "y", names(w.t, x.Get(s, string(ownerUID("y")))), []string{"both"})
		}
		if must(label.Len(s, "a")) != 3 {
			w.t.Errorf("got %d objects with the label, want 3", must(label.Len(s, "a")))
		}
		equal(w.t, "selected", names(w.t, s.Select("app=a,app!=b")), []string{"both", "none", "x"})
		if _, err := informer.IndexField(inf, "spec.nodename"); err == nil {
			w.t.Error("IndexField succeeded for an unknown field, want an error")
		}
	})
}

func ownerUID(name string) types.UID { return types.UID("owner-" + name) }

// TestViewSpansAFactory: one view shows all informers of a factory, and their indexes, at one
// instant, regardless of later changes.
func TestViewSpansAFactory(t *testing.T) {
	inWorld(t, func(w *world) {
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		pods, err := informer.For[corev1.Pod](f, informer.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		byNode := informer.IndexBy(pods, func(p *corev1.Pod) string { return p.Spec.NodeName })
		jobs, err := informer.For[batchv1.Job](f, informer.Config{})
		if err != nil {
			w.t.Fatal(err)
		}
		w.create(podOn("a", "one"))
		w.run(f)
		if err := f.WaitForSync(w.ctx); err != nil {
			w.t.Fatal(err)
		}
		view := f.View()
		w.create(podOn("a", "two"))
		if _, err := w.srv.Create(&batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "j"}}); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Second)
		old, now := pods.In(view), pods.In(f.View())
		equal(w.t, "before", names(w.t, byNode.Get(old, "a")), []string{"one"})
		equal(w.t, "now", names(w.t, byNode.Get(now, "a")), []string{"one", "two"})
		if jobs.In(view).Records().Len() != 0 || jobs.In(f.View()).Records().Len() != 1 || jobs.In(pods.View()).Records().Len() != 1 {
			w.t.Errorf("got %d, %d and %d jobs, want 0 in the old view and 1 in new ones", jobs.In(view).Records().Len(), jobs.In(f.View()).Records().Len(), jobs.In(pods.View()).Records().Len())
		}
	})
}

// TestViewIsExtended: a view is extended by an informer that it does not have, and by
// the rest of that informer's factory, at the first read. Later reads see the same
// snapshot. An informer that is not synced makes the read and the view return an error.
func TestViewIsExtended(t *testing.T) {
	inWorld(t, func(w *world) {
		f := informer.NewFactory(w.cluster, informer.FactoryConfig{})
		pods := must(informer.For[corev1.Pod](f, informer.Config{}))
		jobs := must(informer.For[batchv1.Job](f, informer.Config{}))
		byNode := informer.IndexBy(pods, func(p *corev1.Pod) string { return p.Spec.NodeName })
		other := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		w.create(podOn("a", "one"))
		w.run(f)
		if err := f.WaitForSync(w.ctx); err != nil {
			w.t.Fatal(err)
		}
		view := other.View()
		copied := view
		if n := pods.In(view).Records().Len(); n != 1 || view.Err() != nil {
			w.t.Errorf("got %d pods in the view of another informer, error %v, want 1, no error", n, view.Err())
		}
		w.create(podOn("a", "two"))
		if _, err := w.srv.Create(&batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "j"}}); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Second)
		for _, v := range []informer.View{view, copied, view.And(f.View())} {
			if n, j := must(byNode.Len(pods.In(v), "a")), jobs.In(v).Records().Len(); n != 1 || j != 0 {
				w.t.Errorf("got %d pods and %d jobs in the view, want 1 and 0", n, j)
			}
		}
		if n := must(byNode.Len(pods.In(other.View()), "a")); n != 2 {
			w.t.Errorf("got %d pods in a new view, want 2", n)
		}
		// The other informer is not running.
		s := other.In(view)
		_, _, err := s.Get(key("one"))
		for _, err := range []error{err, s.Err(), view.Err(), copied.Err()} {
			if !errors.Is(err, informer.ErrNotSynced) {
				w.t.Errorf("an informer that is not synced: got %v, want ErrNotSynced", err)
			}
		}
		for _, err := range s.All() {
			if !errors.Is(err, informer.ErrNotSynced) {
				w.t.Errorf("All of an informer that is not synced: got %v, want ErrNotSynced", err)
			}
		}
	})
}

// TestWaitFor: after WaitFor with the version of a write, the snapshot has the write.
func TestWaitFor(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("one"))
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		w.run(inf)
		<-inf.Synced()
		for _, node := range []string{"a", "b", "c"} {
			v := w.moveTo("one", node)
			if err := inf.WaitFor(w.ctx, v); err != nil {
				w.t.Fatal(err)
			}
			got, ok, err := inf.Snapshot().Get(key("one"))
			if !ok || err != nil || got.Spec.NodeName != node {
				w.t.Errorf("got node %v, found %v, error %v, want node %v", got.Spec.NodeName, ok, err, node)
			}
		}
		ctx, stop := w.ctx, time.AfterFunc(time.Minute, w.cancel) // an input: fake time: the caller is a bubble
		defer stop.Stop()
		if err := inf.WaitFor(ctx, 1<<40); err == nil {
			w.t.Error("WaitFor succeeded for a version that does not exist, want an error")
		}
	})
}

// TestIndexOfUndecodableObjects: both storages keep an object that cannot be decoded. Indexes
// that need the object do not contain it.
func TestIndexOfUndecodableObjects(t *testing.T) {
	type odd struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			NodeName int `json:"nodeName"`
		} `json:"spec"`
	}
	inWorld(t, func(w *world) {
		w.create(podOn("text", "one"))
		for _, storage := range []informer.Storage{informer.Packed, informer.Live} {
			inf := must(informer.Watch[odd](w.cluster, informer.Config{Resource: "pods", Storage: storage}))
			byNode := informer.IndexByEach(inf, func(o *odd) []string { return []string{o.Name} })
			w.run(inf)
			<-inf.Synced()
			snap := inf.Snapshot()
			if _, ok, err := snap.Get(key("one")); !ok || err == nil {
				w.t.Errorf("storage %d: got found %v, error %v, want true and an error", storage, ok, err)
			}
			if n := must(byNode.Len(snap, "one")); n != 0 {
				w.t.Errorf("storage %d: got %d objects in the index, want none", storage, n)
			}
		}
	})
}

// TestLiveSharesValues checks that the objects of a Live informer share the values that they
// have in common, below the fields that each object has for itself.
func TestLiveSharesValues(t *testing.T) {
	inWorld(t, func(w *world) {
		value := strings.Repeat("of all pods of this test ", 20) // short objects share nothing
		for _, name := range []string{"one", "three", "two", "zero"} {
			p := pod(name)
			p.Spec.Containers = []corev1.Container{{Name: "main", Image: "example.com/train:1", Env: []corev1.EnvVar{{Name: "CONFIGURATION", Value: value}}}}
			w.create(p)
		}
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Storage: informer.Live}))
		w.run(inf)
		<-inf.Synced()
		env, containers := map[*corev1.EnvVar]int{}, map[*corev1.Container]int{}
		for p, err := range inf.Snapshot().All() {
			if err != nil || len(p.Spec.Containers) != 1 || p.Spec.Containers[0].Env[0].Value != value {
				w.t.Fatalf("got %+v, %v", p, err)
			}
			containers[&p.Spec.Containers[0]]++
			env[&p.Spec.Containers[0].Env[0]]++
		}
		if len(env) >= 4 || len(containers) != 4 {
			w.t.Errorf("4 pods have %d environments and %d lists of containers, want fewer and 4", len(env), len(containers))
		}
	})
}

// TestStorages: Live shares one object, hot objects are copies, a transform changes the stored
// objects, and a projection stores a part of them.
func TestStorages(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"))
		get := func(inf *informer.Informer[corev1.Pod]) *corev1.Pod {
			w.t.Helper()
			p, ok, err := inf.Snapshot().Get(key("one"))
			if !ok || err != nil {
				w.t.Fatalf("got found %v, error %v, want the pod", ok, err)
			}
			return p
		}
		live := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Storage: informer.Live}))
		hot := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{HotObjects: 1}))
		changed := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Transform: informer.Transform(func(p *corev1.Pod) error {
			if p.Name == "refused" {
				return errors.New("refused by the transform")
			}
			p.Spec.Containers = nil
			return nil
		})}))
		type small struct{ Node string }
		nodes := must(informer.Project(w.cluster, informer.Config{}, func(p *corev1.Pod) *small { return &small{p.Spec.NodeName} }))
		for _, inf := range []*informer.Informer[corev1.Pod]{live, hot, changed} {
			w.run(inf)
			<-inf.Synced()
		}
		w.run(nodes)
		<-nodes.Synced()
		if first, again := get(live), get(live); first != again || live.Stats().Decodes != 1 {
			w.t.Errorf("live: got the same object %v, %d decodes, want true, 1", first == again, live.Stats().Decodes)
		}
		get(hot).Spec.NodeName = "changed"
		get(hot).Spec.NodeName = "changed"
		if p := get(hot); p.Spec.NodeName != "a" || hot.Stats().Decodes != 1 {
			w.t.Errorf("hot: got node %q, %d decodes, want a, 1", p.Spec.NodeName, hot.Stats().Decodes)
		}
		w.create(pod("refused"), pod("two"))
		w.advance(time.Second)
		if p := get(changed); p.Spec.Containers != nil || p.Spec.NodeName != "a" || changed.Stats().Refused != 1 || changed.Stats().LastRefused == nil {
			w.t.Errorf("transformed: got %+v, stats %+v, want no containers, node a, 1 refused", p.Spec, changed.Stats())
		}
		s, ok, err := nodes.Snapshot().Get(key("one"))
		if !ok || err != nil || s.Node != "a" {
			w.t.Errorf("projected: got %+v, found %v, error %v, want node a", s, ok, err)
		}
		if rec, _ := nodes.Snapshot().Records().Get(key("one")); rec.UID() == "" || rec.Version() == 0 || rec.Record().Encoding != wire.JSON || rec.Len() > 20 {
			w.t.Errorf("projected: got record %+v, want a UID, a version, and at most 20 bytes of JSON", rec.Record())
		}
		equal(w.t, "transformed objects", names(w.t, changed.Snapshot().All()), []string{"one", "two"})
		if err := constructorError(informer.Watch[corev1.Pod](w.cluster, informer.Config{HotObjects: -1})); err == nil {
			w.t.Error("Watch succeeded with -1 HotObjects, want an error")
		}
	})
}
