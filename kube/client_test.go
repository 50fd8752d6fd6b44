package kube_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TrainJob is the Go struct of a custom resource, without generated code.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              TrainSpec   `json:"spec"`
	Status            TrainStatus `json:"status,omitzero"`
}

// TrainSpec is the desired state.
type TrainSpec struct {
	Workers int64  `json:"workers"`
	Queue   string `json:"queue,omitempty"`
}

// TrainStatus is the current state.
type TrainStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

var trainJobs = apitest.Type{Group: "example.com", Version: "v1", Kind: "TrainJob", Namespaced: true, Status: true}

func trainJob(name string) *TrainJob {
	return &TrainJob{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}, Spec: TrainSpec{Workers: 1}}
}

// client returns a client and fails the test on an error.
func client[T any, P kube.Object[T]](t *testing.T, cluster *kube.Cluster, cfg kube.ClientConfig) *kube.Client[T] {
	t.Helper()
	c, err := kube.For[T, P](cluster, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var ml = wire.Key{Namespace: "ml", Name: "x"}

// life applies all verbs to an object and checks the common behavior of all types.
func life[T any, P kube.Object[T]](t *testing.T, c *kube.Client[T], obj P, kind schema.GroupVersionKind) {
	t.Helper()
	ctx := t.Context()
	created, err := c.Create(ctx, obj)
	if err != nil {
		t.Fatal(err)
	}
	if P(created).GetUID() == "" || P(created).GetObjectKind().GroupVersionKind() != kind || obj.GetUID() != "" {
		t.Errorf("Create: got %+v from %+v", created, obj)
	}
	if _, err := c.Create(ctx, obj); !apierrors.IsAlreadyExists(err) || !strings.Contains(err.Error(), "ml/x at apitest") || !strings.Contains(err.Error(), "choose another name") {
		t.Errorf("second Create: got %v", err)
	}
	P(created).SetLabels(map[string]string{"a": "b"})
	updated, err := c.Update(ctx, created)
	if err != nil || P(updated).GetLabels()["a"] != "b" || P(updated).GetResourceVersion() == P(created).GetResourceVersion() {
		t.Fatalf("Update: got %+v and error %v, want label a=b and a new version", updated, err)
	}
	if _, err := c.Update(ctx, created); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "use Mutate") {
		t.Errorf("Update of an old version: got %v", err)
	}
	for _, p := range []kube.Patch{
		kube.MergePatch(map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": nil, "c": "d"}}}),
		kube.JSONPatch([]byte(`[{"op":"add","path":"/metadata/annotations","value":{"e":"f"}}]`)),
	} {
		if updated, err = c.Patch(ctx, ml, p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := c.Get(ctx, ml)
	if diff := cmp.Diff(updated, got); diff != "" || err != nil {
		t.Errorf("get: error %v (-want +got):\n%s", err, diff)
	}
	if P(got).GetLabels()["c"] != "d" || len(P(got).GetLabels()) != 1 || P(got).GetAnnotations()["e"] != "f" || P(got).GetObjectKind().GroupVersionKind() != kind {
		t.Errorf("got %+v, want label c=d, annotation e=f and kind %v", got, kind)
	}
	listed, err := kube.Collect(c.List(ctx, kube.Where{Namespace: "ml", LabelSelector: "c=d", FieldSelector: "metadata.name=x"}))
	if diff := cmp.Diff([]*T{got}, listed); diff != "" || err != nil {
		t.Errorf("list: error %v (-want +got):\n%s", err, diff)
	}
	if err := c.Delete(ctx, ml, kube.DeleteOptions{UID: "another"}); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "read it again") {
		t.Errorf("Delete with another UID: got %v", err)
	}
	if err := c.Delete(ctx, ml, kube.DeleteOptions{Version: 1}); !apierrors.IsConflict(err) {
		t.Errorf("Delete with an old version: got %v", err)
	}
	version, err := wire.ParseVersion(P(got).GetResourceVersion())
	if err != nil {
		t.Fatal(err)
	}
	err = c.Delete(ctx, ml, kube.DeleteOptions{UID: P(got).GetUID(), Version: version, Propagation: kube.Foreground, Grace: ptr.To(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, ml); !apierrors.IsNotFound(err) {
		t.Errorf("Get of a deleted object: got %v", err)
	}
}

func TestVerbs(t *testing.T) {
	_, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	t.Run("built-in", func(t *testing.T) {
		c := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
		life(t, c, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "x"}}, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	})
	kind := trainJobs.GroupVersionKind()
	t.Run("custom", func(t *testing.T) {
		life(t, client[TrainJob](t, cluster, kube.ClientConfig{}), trainJob("x"), kind)
	})
	t.Run("unstructured", func(t *testing.T) {
		c := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "trainjobs.example.com"})
		life(t, c, &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "ml", "name": "x"}}}, kind)
	})
	t.Run("unstructured built-in", func(t *testing.T) {
		c := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "secrets"})
		life(t, c, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "ml", "name": "x"},
		}}, corev1.SchemeGroupVersion.WithKind("Secret"))
	})
}

func TestMetadataOnly(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	for resource, obj := range map[string]apitest.Object{
		"pods": pod("ml", "x", "one"),
		"trainjobs": &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "TrainJob", "metadata": map[string]any{"namespace": "ml", "name": "x"},
		}},
	} {
		if _, err := srv.Create(obj); err != nil {
			t.Fatal(err)
		}
		c := client[metav1.PartialObjectMetadata](t, cluster, kube.ClientConfig{Resource: resource})
		got, err := c.Patch(t.Context(), ml, kube.MergePatch(map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}))
		if err != nil || got.Labels["a"] != "b" || got.Kind != obj.GetObjectKind().GroupVersionKind().Kind {
			t.Errorf("got %+v and error %v, want label a=b and the kind", got, err)
		}
		listed, err := kube.Collect(c.List(t.Context(), kube.Where{}))
		if diff := cmp.Diff([]*metav1.PartialObjectMetadata{got}, listed); diff != "" || err != nil {
			t.Errorf("list: error %v (-want +got):\n%s", err, diff)
		}
		if _, err := c.Update(t.Context(), got); err == nil || !strings.Contains(err.Error(), "use Patch") {
			t.Errorf("Update through a metadata client: got %v", err)
		}
		if err := c.Delete(t.Context(), ml, kube.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// sent records the content types and the Accept headers of all requests.
type sent struct {
	http.RoundTripper
	contents, accepts []string
}

// RoundTrip implements http.RoundTripper.
func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.contents = append(s.contents, r.Method+" "+r.Header.Get("Content-Type"))
	s.accepts = append(s.accepts, r.Header.Get("Accept"))
	return s.RoundTripper.RoundTrip(r)
}

// TestEncodings checks that built-in types are sent as protobuf, or as JSON if the server
// does not accept protobuf, and custom resources as JSON.
func TestEncodings(t *testing.T) {
	srv := must[*apitest.Server](t)(apitest.New(apitest.Config{Types: []apitest.Type{trainJobs}}))
	defer srv.Close()
	wire := &sent{}
	cfg := srv.RESTConfig()
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { wire.RoundTripper = rt; return wire })
	cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: cfg}))
	defer cluster.Close()
	maps, jobs := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{}), client[TrainJob](t, cluster, kube.ClientConfig{})
	if _, err := jobs.Get(t.Context(), ml); !apierrors.IsNotFound(err) {
		t.Fatalf("Get: got error %v, want NotFound", err)
	}
	wire.contents, wire.accepts = nil, nil
	must[*TrainJob](t)(jobs.Create(t.Context(), trainJob("x")))
	must[*corev1.ConfigMap](t)(maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "a"}}))
	_, err := srv.Inject(apitest.Fault{
		Match:  apitest.Match{Verb: apitest.VerbCreate, Resource: "configmaps"},
		Action: apitest.Respond(metav1.Status{Status: "Failure", Code: 415, Reason: metav1.StatusReasonUnsupportedMediaType}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "c"} {
		obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}, Data: map[string]string{"a": "b"}}
		if got := must[*corev1.ConfigMap](t)(maps.Create(t.Context(), obj)); got.Data["a"] != "b" {
			t.Errorf("Create: got %+v, want a=b", got)
		}
	}
	json, proto, both := "application/json", "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json"
	if diff := cmp.Diff([]string{"POST " + json, "POST " + proto, "POST " + proto, "POST " + json, "POST " + json}, wire.contents); diff != "" {
		t.Errorf("got other content types (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{json, both, both, both, both}, wire.accepts); diff != "" {
		t.Errorf("got other Accept headers (-want +got):\n%s", diff)
	}
}

// TestMissingVerbs checks that a client does not send requests with verbs that the server
// does not offer.
func TestMissingVerbs(t *testing.T) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]string{
			"/api":    `{"kind":"APIVersions","versions":["v1"]}`,
			"/apis":   `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
			"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"reviews","kind":"Review","namespaced":true,"verbs":["create"]}]}`,
		}[r.URL.Path]
		if answer == "" {
			asked++
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	defer srv.Close()
	cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: &rest.Config{Host: srv.URL}}))
	defer cluster.Close()
	reviews := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "reviews"})
	if _, err := reviews.Get(t.Context(), ml); !apierrors.IsMethodNotSupported(err) || asked != 0 {
		t.Errorf("got %d requests and error %v, want none and that the method is not supported", asked, err)
	}
}

func TestStatusAndScale(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	ctx := t.Context()
	jobs := client[TrainJob](t, cluster, kube.ClientConfig{})
	job := trainJob("x")
	job.Status.Phase = "Invented"
	job, err := jobs.Create(ctx, job)
	if err != nil || job.Status.Phase != "" {
		t.Fatalf("create: got %+v and error %v, want no phase", job, err)
	}
	job.Status.Phase, job.Spec.Workers = "Running", 7
	if job, err = jobs.Status().Update(ctx, job); err != nil || job.Status.Phase != "Running" || job.Spec.Workers != 1 {
		t.Errorf("update of the status: got %+v and error %v, want phase Running and 1 worker", job, err)
	}
	job, err = jobs.Status().Patch(ctx, ml, kube.MergePatch(map[string]any{"status": map[string]any{"phase": "Failed"}}))
	if err != nil || job.Status.Phase != "Failed" {
		t.Errorf("patch of the status: got %+v and error %v, want phase Failed", job, err)
	}
	job, err = jobs.Status().Mutate(ctx, ml, func(j *TrainJob) error { j.Status.Phase = "Done"; return nil })
	if err != nil || job.Status.Phase != "Done" {
		t.Errorf("mutate of the status: got %+v and error %v, want phase Done", job, err)
	}
	maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
	if _, err := maps.Status().Patch(ctx, ml, kube.MergePatch([]byte(`{}`))); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "no subresource status") {
		t.Errorf("Patch of a config map's status: got %v", err)
	}
	if _, err := srv.Create(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "x"}}); err != nil {
		t.Fatal(err)
	}
	deployments := client[appsv1.Deployment](t, cluster, kube.ClientConfig{})
	scale, err := deployments.SetScale(ctx, ml, 4)
	if err != nil || scale.Spec.Replicas != 4 {
		t.Errorf("set of the scale: got %+v and error %v, want 4 replicas", scale, err)
	}
	if scale, err = deployments.Scale(ctx, ml); err != nil || scale.Spec.Replicas != 4 {
		t.Errorf("scale: got %+v and error %v, want 4 replicas", scale, err)
	}
}

func TestDryRun(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	ctx, reported := t.Context(), 0
	ctx = kube.WithWrites(ctx, func(kube.Written) { reported++ })
	for _, name := range []string{"x", "y"} {
		if _, err := srv.Create(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	at := srv.Version()
	c := client[appsv1.Deployment](t, cluster, kube.ClientConfig{Writes: kube.DryRun, FieldManager: "me"})
	obj, err := c.Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "z"}})
	if err != nil || obj.UID == "" {
		t.Errorf("create, dry run: got %+v and error %v, want a UID", obj, err)
	}
	_, updated := c.Mutate(ctx, ml, func(d *appsv1.Deployment) error { d.Spec.Paused = true; return nil })
	_, patched := c.Patch(ctx, ml, kube.StrategicPatch(map[string]any{"spec": map[string]any{"paused": true}}))
	_, status := c.Status().Mutate(ctx, ml, func(d *appsv1.Deployment) error { d.Status.Replicas = 1; return nil })
	_, scaled := c.SetScale(ctx, ml, 9)
	n, all := c.DeleteAll(ctx, kube.Where{Namespace: "ml"}, kube.DeleteOptions{})
	if err := errors.Join(updated, patched, status, scaled, c.Delete(ctx, ml, kube.DeleteOptions{}), all); err != nil || n != 2 {
		t.Errorf("got %d objects and error %v, want 2", n, err)
	}
	if srv.Version() != at || reported != 0 {
		t.Errorf("a dry run changed something, or reported %d writes", reported)
	}
}

func TestDeleteAll(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	for _, p := range []*corev1.Pod{pod("ml", "x", "one"), pod("ml", "y", "one"), pod("ml", "z", "two"), pod("other", "x", "one")} {
		if _, err := srv.Create(p); err != nil {
			t.Fatal(err)
		}
	}
	pods := client[corev1.Pod](t, cluster, kube.ClientConfig{})
	n, err := pods.DeleteAll(t.Context(), kube.Where{Namespace: "ml", LabelSelector: "app=one"}, kube.DeleteOptions{})
	if n != 2 || err != nil {
		t.Errorf("deleted %d, error %v; want 2", n, err)
	}
	left, err := kube.Collect(pods.List(t.Context(), kube.Where{}))
	if err != nil || len(left) != 2 || left[0].Name != "z" || left[1].Namespace != "other" {
		t.Errorf("left: got %v and error %v, want z and one in namespace other", left, err)
	}
}

// TestDeleteSame: SameRevision spares an object that has changed, and SameObject spares a
// later object of the same name.
func TestDeleteSame(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	pods, ctx := client[corev1.Pod](t, cluster, kube.ClientConfig{}), t.Context()
	old, err := pods.Create(ctx, pod("ml", "x", "one"))
	if err != nil {
		t.Fatal(err)
	}
	key := kube.KeyOf(old)
	now, err := apitest.Modify(srv, pod("ml", "x", "one"), func(p *corev1.Pod) { p.Labels["app"] = "two" })
	if err != nil {
		t.Fatal(err)
	}
	for name, obj := range map[string]*corev1.Pod{"changed": old, "never written": pod("ml", "x", "one")} {
		if err := pods.Delete(ctx, key, kube.SameRevision(obj)); !apierrors.IsConflict(err) {
			t.Errorf("%s: got %v, want a conflict", name, err)
		}
	}
	if err := pods.Delete(ctx, key, kube.SameRevision(now)); err != nil {
		t.Errorf("delete the revision that was read: %v", err)
	}
	if _, err := pods.Create(ctx, pod("ml", "x", "one")); err != nil {
		t.Fatal(err)
	}
	if err := pods.Delete(ctx, key, kube.SameObject(old)); !apierrors.IsConflict(err) {
		t.Errorf("delete a later object: got %v, want a conflict", err)
	}
}

// TestApply: Apply creates an object and changes only what it names; a conflict names the verb
// and the object.
func TestApply(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	mine := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{FieldManager: "me"})
	theirs := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{FieldManager: "they"})
	settings := func(value string) *corev1apply.ConfigMapApplyConfiguration {
		return corev1apply.ConfigMap("x", "ml").WithData(map[string]string{"a": value})
	}
	if got, err := mine.ApplyConfiguration(t.Context(), settings("1"), kube.ReportConflicts); err != nil || got.Data["a"] != "1" {
		t.Fatalf("got %v and %v, want a new object", got, err)
	}
	_, err := theirs.ApplyConfiguration(t.Context(), settings("2"), kube.ReportConflicts)
	if !apierrors.IsConflict(err) || !strings.HasPrefix(err.Error(), "apply configmaps ml/x") {
		t.Errorf("got %v, want a conflict, with the verb and the object", err)
	}
	if got, err := theirs.ApplyConfiguration(t.Context(), settings("2"), kube.ForceConflicts); err != nil || got.Data["a"] != "2" {
		t.Errorf("got %v and %v, want the value of the other manager", got, err)
	}
}

// TestCustomScheme checks that a type whose Go name differs from its kind is found
// through the scheme.
func TestCustomScheme(t *testing.T) {
	_, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	own := runtime.NewScheme()
	own.AddKnownTypeWithName(trainJobs.GroupVersionKind(), &Registered{})
	c := client[Registered](t, cluster, kube.ClientConfig{Scheme: own})
	if _, err := c.Create(t.Context(), &Registered{TrainJob: *trainJob("x")}); err != nil {
		t.Error(err)
	}
}

// Registered can be registered in a scheme.
type Registered struct{ TrainJob }

// DeepCopyObject implements runtime.Object.
func (r *Registered) DeepCopyObject() runtime.Object { c := *r; return &c }

// TestTypeThatChanges checks that a client resolves its type again after the type was
// removed.
func TestTypeThatChanges(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	c := client[TrainJob](t, cluster, kube.ClientConfig{})
	if _, err := c.Create(t.Context(), trainJob("x")); err != nil {
		t.Fatal(err)
	}
	if err := srv.Unregister(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "trainjobs"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), ml); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "retry to rediscover") {
		t.Errorf("Get of a removed type: got %v", err)
	}
	later := trainJobs
	later.Version = "v2"
	if err := srv.Register(later); err != nil {
		t.Fatal(err)
	}
	got, err := c.Create(t.Context(), trainJob("x"))
	if err != nil || got.APIVersion != "example.com/v2" {
		t.Errorf("got %+v and error %v, want version example.com/v2", got, err)
	}
}

func TestContextEndsARequest(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	c := client[corev1.Pod](t, cluster, kube.ClientConfig{})
	if _, err := c.Get(t.Context(), ml); !apierrors.IsNotFound(err) {
		t.Fatalf("Get: got error %v, want NotFound", err)
	}
	if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbGet}, Action: apitest.Hang()}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := c.Get(ctx, ml); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
