package informer_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// Job has the name of a built-in kind, like the Job of Volcano.
type Job struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Queue string `json:"queue"`
	} `json:"spec"`
}

// constructorErrors returns the error of each constructor.
func constructorErrors[T any](cluster *kube.Cluster, cfg informer.Config) []error {
	_, watch := informer.Watch[T](cluster, cfg)
	_, across := informer.Across[T](cfg)
	_, project := informer.Project(cluster, cfg, func(*T) *struct{} { return nil })
	_, shared := informer.For[T](informer.NewFactory(cluster, informer.FactoryConfig{}), cfg)
	return []error{watch, across, project, shared}
}

// TestIllegalTypes: constructors return an error for a Go type that is not an API type, or not
// the type of the Resource, and for an invalid selector, namespace or resource.
func TestIllegalTypes(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	for want, errs := range map[string][]error{
		"v1.PodList is a list of objects; use v1.Pod":  constructorErrors[corev1.PodList](cluster, informer.Config{}),
		"v1.PodSpec is not the struct of an API type":  constructorErrors[corev1.PodSpec](cluster, informer.Config{Resource: "pods"}),
		"*v1.Pod is a pointer; use v1.Pod":             constructorErrors[*corev1.Pod](cluster, informer.Config{}),
		"name it in Resource":                          constructorErrors[unstructured.Unstructured](cluster, informer.Config{}),
		"does not name v1.Pod":                         constructorErrors[corev1.Pod](cluster, informer.Config{Resource: "jobs.batch"}),
		"is not of the GroupVersion":                   constructorErrors[batchv1.Job](cluster, informer.Config{GroupVersion: schema.GroupVersion{Group: "batch.volcano.sh", Version: "v1alpha1"}}),
		"which is autoscaling/v1":                      constructorErrors[autoscalingv1.HorizontalPodAutoscaler](cluster, informer.Config{Resource: "horizontalpodautoscalers.v2.autoscaling"}),
		`the label selector "a in" is not valid`:       constructorErrors[corev1.Pod](cluster, informer.Config{LabelSelector: "a in"}),
		`the field selector "a" is not valid`:          constructorErrors[corev1.Pod](cluster, informer.Config{FieldSelector: "a"}),
		`the namespace "../../v1/namespaces/x" is not`: constructorErrors[corev1.Pod](cluster, informer.Config{Namespaces: []string{"../../v1/namespaces/x"}}),
		`the namespace ".." is not valid`:              constructorErrors[corev1.Pod](cluster, informer.Config{Namespaces: []string{".."}}),
		`"../v1/pods" is not the name of a type`:       constructorErrors[unstructured.Unstructured](cluster, informer.Config{Resource: "../v1/pods"}),
	} {
		for i, err := range errs {
			if !errcode.Is(err, errcode.Invalid) || !strings.HasPrefix(err.Error(), "informer: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("constructor %d: got error %v, want %q", i, err, want)
			}
		}
	}
	if n := len(srv.Requests()); n > 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

// TestTypeIsBound: an informer lists and watches the group and version of its Go type, and
// never another type of the same name.
func TestTypeIsBound(t *testing.T) {
	volcano := apitest.Type{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job", Namespaced: true}
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{})
		w := &world{t: t, srv: srv, cluster: cluster, ctx: t.Context()}
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "built-in"}}
		hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "x"}}
		must(srv.Create(job))
		must(srv.Create(hpa)) // the server does not serve autoscaling/v1
		jobs := must(informer.Watch[Job](cluster, informer.Config{}))
		old := must(informer.Watch[autoscalingv1.HorizontalPodAutoscaler](cluster, informer.Config{Resource: "horizontalpodautoscalers"}))
		defer w.start(jobs)()
		defer w.start(old)()
		w.advance(time.Minute)
		for _, h := range []informer.Health{health(jobs), health(old)} {
			if h.Ready() == nil || h.Scopes[0].Err == nil {
				t.Errorf("got health %+v, want an error, and not ready", h)
			}
		}
		if err := health(jobs).Scopes[0].Err; !strings.Contains(err.Error(), "only the built-in jobs.v1.batch") {
			t.Errorf("got error %v, want one that names only the built-in jobs.v1.batch", err)
		}
		if err := srv.Register(volcano); err != nil {
			t.Fatal(err)
		}
		bound := must(informer.Watch[Job](cluster, informer.Config{GroupVersion: schema.GroupVersion{Group: "batch.volcano.sh", Version: "v1alpha1"}}))
		defer w.start(bound)()
		must(srv.Create(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
			"metadata": map[string]any{"namespace": "default", "name": "volcano"}, "spec": map[string]any{"queue": "q"},
		}}))
		w.advance(time.Minute)
		obj, ok, err := bound.Snapshot().Get(key("volcano"))
		if err != nil || !ok || obj.Spec.Queue != "q" || bound.Snapshot().Records().Len() != 1 {
			t.Errorf("got %+v, found %v, error %v, %d objects, want a job of queue q as the only object", obj, ok, err, bound.Snapshot().Records().Len())
		}
		if err := health(jobs).Scopes[0].Err; !strings.Contains(err.Error(), "it may be one of") {
			t.Errorf("got error %v, want one that lists the candidates", err)
		}
		if n := jobs.Snapshot().Records().Len() + old.Snapshot().Records().Len(); n > 0 {
			t.Errorf("got %d objects of another type, want none", n)
		}
	})
}

// health returns the health of an informer.
func health[T any](i *informer.Informer[T]) informer.Health {
	h, _ := i.Health()
	return h
}

// TestBuiltinsNeedNoDiscovery: if the server refuses discovery, informers of built-in types
// sync without requesting it. Fifty informers of an unknown type share one request.
func TestBuiltinsNeedNoDiscovery(t *testing.T) {
	inWorld(t, func(w *world) {
		discovery := apitest.Match{Where: func(r apitest.Request) bool { return r.Verb == apitest.VerbOther }}
		if _, err := w.srv.Inject(apitest.Fault{Match: discovery, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0))}); err != nil {
			w.t.Fatal(err)
		}
		requests := func() (n int) {
			for _, r := range w.srv.Requests() {
				if r.Verb == apitest.VerbOther {
					n++
				}
			}
			return n
		}
		w.create(pod("one"))
		for range 50 {
			pods := must(informer.Watch[corev1.Pod](w.cluster, informer.Config{}))
			w.run(pods)
			<-pods.Synced()
		}
		if n := requests(); n != 0 {
			w.t.Errorf("got %d requests for discovery of built-in types, want none", n)
		}
		var last *informer.Informer[Job]
		for range 50 {
			last = must(informer.Watch[Job](w.cluster, informer.Config{GroupVersion: schema.GroupVersion{Group: "batch.volcano.sh", Version: "v1alpha1"}}))
			w.run(last)
		}
		w.advance(100 * time.Millisecond)
		if n := requests(); n != 1 {
			w.t.Errorf("got %d requests for discovery of an unknown type, want 1", n)
		}
		if err := health(last).Err; err == nil || !strings.Contains(err.Error(), "system:discovery") {
			w.t.Errorf("got error %v, want one that names system:discovery", err)
		}
	})
}
