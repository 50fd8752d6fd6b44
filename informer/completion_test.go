package informer_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// Trimmed is a projection of a pod that looks like a pod.
type Trimmed struct{ corev1.Pod }

// TestPartialObjects: an object that a transform or a projection has changed is partial, in all
// storages, so no update erases on the server what was removed. Other objects are whole.
func TestPartialObjects(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"))
		client := must(kube.For[corev1.Pod](w.cluster, kube.ClientConfig{}))
		blank := informer.Transform(func(p *corev1.Pod) error { p.Labels, p.Spec.NodeName = nil, ""; return nil })
		for name, cfg := range map[string]informer.Config{
			"packed": {Transform: blank},
			"live":   {Transform: blank, Storage: informer.Live},
			"hot":    {Transform: blank, HotObjects: 1},
		} {
			inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			w.run(inf)
			<-inf.Synced()
			p, ok, err := inf.Snapshot().Get(key("one"))
			if !ok || err != nil {
				w.t.Fatalf("%s: got found %t and error %v", name, ok, err)
			}
			p = p.DeepCopy()
			metav1.SetMetaDataAnnotation(&p.ObjectMeta, "a", "b")
			if _, err := client.Update(w.t.Context(), p); err == nil || !strings.Contains(err.Error(), "spec.nodeName") {
				w.t.Errorf("%s: got error %v, want one that names spec.nodeName", name, err)
			}
		}
		projected := must(informer.Project(w.cluster, informer.Config{}, func(p *corev1.Pod) *Trimmed {
			return &Trimmed{corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace}}}
		}))
		w.run(projected)
		<-projected.Synced()
		if p, ok, err := projected.Snapshot().Get(key("one")); !ok || err != nil || !kube.IsPartial(p) {
			w.t.Errorf("projected: got found %t, error %v and %+v, want a partial object", ok, err, p)
		}
		whole := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
		w.run(whole)
		<-whole.Synced()
		p, _, err := whole.Snapshot().Get(key("one"))
		if err != nil {
			w.t.Fatal(err)
		}
		metav1.SetMetaDataAnnotation(&p.ObjectMeta, "a", "b")
		if p, err = client.Update(w.t.Context(), p); err != nil || p.Spec.NodeName != "a" || p.Annotations["a"] != "b" {
			w.t.Errorf("whole: got %+v and error %v, want node a and the annotation", p, err)
		}
	})
}

// TestKinds: objects of informers have apiVersion and kind, like those of clients.
func TestKinds(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(podOn("a", "one"))
		want := metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		for name, cfg := range map[string]informer.Config{"packed": {}, "live": {Storage: informer.Live}, "hot": {HotObjects: 1}} {
			inf := must(informer.Watch[corev1.Pod](w.cluster, cfg))
			w.run(inf)
			<-inf.Synced()
			if p, ok, err := inf.Snapshot().Get(key("one")); !ok || err != nil || p.TypeMeta != want {
				w.t.Errorf("%s: got found %t, error %v and %+v, want %+v", name, ok, err, p.TypeMeta, want)
			}
		}
	})
}
