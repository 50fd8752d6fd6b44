package informer_test

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// TestWrites: a writer can wait until the informer shows its writes and deletions. It does not
// wait for objects that the informer does not follow.
func TestWrites(t *testing.T) {
	inWorld(t, func(w *world) {
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{Namespaces: []string{"default"}}))
		w.run(inf)
		<-inf.Synced()
		w.advance(time.Second)
		var written []kube.Written
		ctx := kube.WithWrites(w.ctx, func(one kube.Written) { written = append(written, one) })
		pods, err := kube.For[corev1.Pod](w.cluster, kube.ClientConfig{})
		if err != nil {
			t.Fatal(err)
		}
		maps, err := kube.For[corev1.ConfigMap](w.cluster, kube.ClientConfig{})
		if err != nil {
			t.Fatal(err)
		}
		stalled, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Stall()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = pods.Create(ctx, pod("a"))
		_, err2 := pods.Create(ctx, podIn("elsewhere", "a"))
		_, err3 := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}})
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		if len(written) != 3 {
			t.Fatalf("got %d writes, want 3", len(written))
		}
		for i, want := range []bool{true, false, false} {
			if inf.Follows(written[i]) != want || inf.Shows(written[i]) == want {
				t.Errorf("write %d: Follows() = %v, Shows() = %v, want %v, %v", i, inf.Follows(written[i]), inf.Shows(written[i]), want, !want)
			}
		}
		short, cancel := context.WithTimeout(w.ctx, time.Second) // an input: the limit of the wait
		defer cancel()
		if err := inf.WaitForWrite(short, written[0]); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("WaitForWrite before the event: got %v, want DeadlineExceeded", err)
		}
		stalled.Release()
		if err := inf.WaitForWrite(w.ctx, written[0]); err != nil || !inf.Shows(written[0]) {
			t.Errorf("WaitForWrite: got %v, Shows() = %v, want nil, true", err, inf.Shows(written[0]))
		}
		if _, ok, _ := inf.Snapshot().Get(key("a")); !ok {
			t.Error("the snapshot lacks the created pod")
		}
		if stalled, err = w.srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Stall()}); err != nil {
			t.Fatal(err)
		}
		if err := pods.Delete(ctx, key("a"), kube.DeleteOptions{Grace: new(time.Duration)}); err != nil {
			t.Fatal(err)
		}
		deletion := written[len(written)-1]
		if deletion.Effect != kube.Removed || inf.Shows(deletion) {
			t.Errorf("got %+v, Shows() = %v, want a deletion, false", deletion, inf.Shows(deletion))
		}
		stalled.Release()
		if err := inf.WaitForWrite(w.ctx, deletion); err != nil {
			t.Errorf("WaitForWrite of the deletion: got %v, want nil", err)
		}
		if _, ok, _ := inf.Snapshot().Get(key("a")); ok {
			t.Error("the snapshot has the deleted pod")
		}
		w.create(pod("a")) // another pod of the same name
		w.advance(time.Second)
		if !inf.Shows(deletion) {
			t.Error("Shows() of the deletion = false after the creation of another pod of the same name, want true")
		}
	})
}

// TestUpdatesOfLabels: AnyUpdate passes an update if one of its filters passes it.
func TestUpdatesOfLabels(t *testing.T) {
	inWorld(t, func(w *world) {
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		field, err := informer.FieldChanged[corev1.Pod]("spec.nodeName")
		if err != nil {
			t.Fatal(err)
		}
		var events eventLog
		w.run(inf)
		w.work.Go(func() {
			s := informer.SubscriptionConfig{Filters: []informer.Filter{informer.AnyUpdate(informer.LabelsChanged(), field)}}
			for ev := range inf.Changes(w.ctx, s) {
				events.add("%v %s", ev.Kind(), ev.Key())
			}
		})
		w.create(pod("a"))
		w.advance(time.Second)
		w.moveTo("a", "node-1")
		w.advance(time.Second)
		change := func(f func(*corev1.Pod)) {
			if _, err := apitest.Modify(w.srv, pod("a"), f); err != nil {
				t.Fatal(err)
			}
			w.advance(time.Second)
		}
		change(func(p *corev1.Pod) { p.Status.Message = "neither" })
		change(func(p *corev1.Pod) { p.Labels = map[string]string{"app": "x"} })
		equal(t, "events", events.take(), []string{"Added default/a", "Updated default/a", "Updated default/a"})
	})
}

// TestSelectInNamespaces: Select searches the given namespaces, in the given order.
func TestSelectInNamespaces(t *testing.T) {
	inWorld(t, func(w *world) {
		inf := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		w.run(inf)
		for _, namespace := range []string{"a", "b", "c"} {
			for _, app := range []string{"x", "y"} {
				p := podIn(namespace, namespace+"-"+app)
				p.Labels = map[string]string{"app": app}
				w.create(p)
			}
		}
		<-inf.Synced()
		w.advance(time.Second)
		const x = "app=x"
		s := inf.Snapshot()
		equal(t, "everywhere", names(t, s.Select(x)), []string{"a-x", "b-x", "c-x"})
		equal(t, "in two", names(t, s.Select(x, "c", "a")), []string{"c-x", "a-x"})
		equal(t, "of two informers", names(t, snapshotInView(t, w, inf).Select(x, "b")), []string{"b-x"})
		for obj, err := range s.Select("app in") {
			if err == nil {
				t.Errorf("Select with a malformed selector returned %v, want an error", obj)
			}
		}
	})
}

// snapshotInView returns the snapshot of an informer in a view with an unrelated informer.
func snapshotInView(t *testing.T, w *world, inf *informer.Informer[corev1.Pod]) informer.Snapshot[corev1.Pod] {
	t.Helper()
	second := must(informer.Watch[corev1.ConfigMap](w.cluster, informer.Config{}))
	v := second.View().And(inf.View())
	second.In(v)
	return inf.In(v)
}
