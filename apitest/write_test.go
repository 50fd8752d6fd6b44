package apitest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
)

func dynamicJobs(t *testing.T, srv *apitest.Server) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(jobs).Namespace("default")
}

func TestCustomResource_Life(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	ctx, client := background(t), dynamicJobs(t, srv)
	first := job("j", "q")
	first.Object["status"] = map[string]any{"phase": "Invented"}
	created, err := client.Create(ctx, first, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, has := created.Object["status"]; has || created.GetGeneration() != 1 {
		t.Errorf("created: got %v, want no status and generation 1", created)
	}
	created.Object["status"] = map[string]any{"phase": "Running", "step": int64(1) << 60}
	running, err := client.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	step, _, err := unstructured.NestedInt64(running.Object, "status", "step")
	if err != nil || step != 1<<60 || running.GetGeneration() != 1 {
		t.Errorf("running: got %v and error %v, want the large step unchanged and generation 1", running, err)
	}
	running.Object["spec"] = map[string]any{"queue": "other"}
	delete(running.Object, "status")
	moved, err := client.Update(ctx, running, metav1.UpdateOptions{})
	if err != nil || moved.GetGeneration() != 2 || moved.Object["status"] == nil {
		t.Errorf("moved: got %v and error %v, want generation 2 and the status kept", moved, err)
	}
	moved.SetResourceVersion("")
	if _, err = client.Update(ctx, moved, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("an update without a version: %v", err)
	}
	if _, err = client.Update(ctx, running, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("a stale update: %v", err)
	}
}

func TestCreate_Refuses(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	ctx, client := background(t), dynamicJobs(t, srv)
	with := func(change func(*unstructured.Unstructured)) *unstructured.Unstructured {
		obj := job("j", "q")
		change(obj)
		return obj
	}
	for name, c := range map[string]struct {
		obj  *unstructured.Unstructured
		want func(error) bool
	}{
		"kind":      {with(func(u *unstructured.Unstructured) { u.SetKind("Other") }), apierrors.IsBadRequest},
		"namespace": {with(func(u *unstructured.Unstructured) { u.SetNamespace("other") }), apierrors.IsBadRequest},
		"version":   {with(func(u *unstructured.Unstructured) { u.SetResourceVersion("1") }), func(err error) bool { return apierrors.ReasonForError(err) == "" && err != nil }},
		"no name":   {with(func(u *unstructured.Unstructured) { u.SetName("") }), apierrors.IsInvalid},
		"path":      {with(func(u *unstructured.Unstructured) { u.SetName("a/b") }), apierrors.IsInvalid},
		"labels": {with(func(u *unstructured.Unstructured) {
			u.Object["metadata"].(map[string]any)["labels"] = "none"
		}), apierrors.IsBadRequest},
		"size": {with(func(u *unstructured.Unstructured) { u.Object["spec"] = strings.Repeat("x", 3<<20) }), apierrors.IsRequestEntityTooLargeError},
	} {
		if _, err := client.Create(ctx, c.obj, metav1.CreateOptions{}); !c.want(err) {
			t.Errorf("create with a bad %s: got %v, want another error", name, err)
		}
	}
	if got := srv.Version(); got != apitest.DefaultVersion {
		t.Errorf("version %d after nothing was written", got)
	}
}

func TestCreate_GenerateNameAndDryRun(t *testing.T) {
	srv := start(t, apitest.Config{})
	ctx, pods := background(t), clientset(t, srv.RESTConfig()).CoreV1().Pods("default")
	template := pod("")
	template.GenerateName = "worker-"
	dry, err := pods.Create(ctx, template, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil || !strings.HasPrefix(dry.Name, "worker-") || srv.Version() != 1 {
		t.Errorf("dry run: got %v, error %v, version %d; want a name with worker- and version 1", dry, err, srv.Version())
	}
	names := map[string]bool{}
	for range 20 {
		created, err := pods.Create(ctx, template, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		names[created.Name] = true
	}
	if len(names) != 20 {
		t.Errorf("got %d names, want 20", len(names))
	}
}

func TestDelete_WaitsForFinalizers(t *testing.T) {
	srv := start(t, apitest.Config{})
	held := pod("held")
	held.Finalizers = []string{"example.com/hold"}
	create(t, srv, held)
	stream := watchPods(t, srv.RESTConfig(), metav1.ListOptions{ResourceVersion: "2"})
	ctx, pods := background(t), clientset(t, srv.RESTConfig()).CoreV1().Pods("default")
	foreground := metav1.DeletePropagationForeground
	for range 2 {
		if err := pods.Delete(ctx, "held", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
			t.Fatal(err)
		}
	}
	marked, err := pods.Get(ctx, "held", metav1.GetOptions{})
	if err != nil || marked.DeletionTimestamp == nil || marked.Generation != 2 {
		t.Fatalf("deleted object with a finalizer: got %v and error %v, want it marked, generation 2", marked, err)
	}
	marked.Finalizers = append(marked.Finalizers, "example.com/more")
	if _, err = pods.Update(ctx, marked, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("another finalizer: %v", err)
	}
	marked.Finalizers = nil
	if _, err = pods.Update(ctx, marked, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	expect(t, stream, "MODIFIED held 3", "DELETED held 4")
	if _, err = pods.Get(ctx, "held", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get of the deleted object: got %v, want it not found", err)
	}
}

func TestDelete_Collection(t *testing.T) {
	srv := start(t, apitest.Config{})
	other := pod("other")
	other.Labels = nil
	create(t, srv, pod("a"), pod("b"), other)
	eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
		pods := clientset(t, with(srv.RESTConfig())).CoreV1().Pods("default")
		err := pods.DeleteCollection(background(t), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=a"})
		if err != nil {
			t.Error(err)
		}
		left, err := srv.List(pod(""), "")
		if err != nil || len(left) != 1 || left[0].GetName() != "other" {
			t.Errorf("left: got %v and error %v, want only the object other", left, err)
		}
	})
}

func TestPatch_Kinds(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	create(t, srv, pod("a"), job("j", "q"))
	ctx, pods, client := background(t), clientset(t, srv.RESTConfig()).CoreV1().Pods("default"), dynamicJobs(t, srv)
	for _, c := range []struct {
		kind  types.PatchType
		patch string
	}{
		{types.JSONPatchType, `[{"op":"replace","path":"/spec/containers/0/image","value":"one"}]`},
		{types.MergePatchType, `{"spec":{"containers":[{"name":"main","image":"one"}]}}`},
		{types.StrategicMergePatchType, `{"spec":{"containers":[{"name":"main","image":"one"}]}}`},
	} {
		patched, err := pods.Patch(ctx, "a", c.kind, []byte(c.patch), metav1.PatchOptions{})
		if err != nil {
			t.Errorf("patch %s failed: %v", c.kind, err)
			continue
		}
		if patched.Spec.Containers[0].Image != "one" {
			t.Errorf("patch %s: got %v, want image one", c.kind, patched.Spec)
		}
		setImage(t, srv, "busybox")
	}
	patch := `{"spec":{"containers":[{"name":"side","image":"two"}]},"status":{"phase":"Failed"}}`
	two, err := pods.Patch(ctx, "a", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil || len(two.Spec.Containers) != 2 || two.Status.Phase != corev1.PodPending {
		t.Errorf("strategic merge: %v, %v", two, err)
	}
	status := []byte(`{"status":{"phase":"Running"},"spec":{"queue":"ignored"}}`)
	ran, err := client.Patch(ctx, "j", types.MergePatchType, status, metav1.PatchOptions{}, "status")
	queue, _, _ := unstructured.NestedString(ran.Object, "spec", "queue")
	phase, _, _ := unstructured.NestedString(ran.Object, "status", "phase")
	if err != nil || phase != "Running" || queue != "q" {
		t.Errorf("patch of the status: got %v and error %v, want phase Running and queue q", ran, err)
	}
	refused := func(kind types.PatchType, patch string, want func(error) bool) {
		t.Helper()
		if _, err := client.Patch(ctx, "j", kind, []byte(patch), metav1.PatchOptions{}); !want(err) {
			t.Errorf("patch %s: got %v, want another error", kind, err)
		}
	}
	refused(types.StrategicMergePatchType, `{}`, apierrors.IsUnsupportedMediaType)
	refused(types.ApplyYAMLPatchType, `{}`, apierrors.IsInvalid) // it has no field manager
	refused(types.ApplyCBORPatchType, `{}`, apierrors.IsUnsupportedMediaType)
	refused(types.MergePatchType, `[`, apierrors.IsBadRequest)
	refused(types.MergePatchType, `{"metadata":{"resourceVersion":"1"}}`, apierrors.IsConflict)
	refused(types.MergePatchType, `{"metadata":{"name":"k"}}`, apierrors.IsInvalid)
	refused(types.JSONPatchType, `[{"op":"test","path":"/spec/queue","value":"x"}]`, apierrors.IsInvalid)
	refused(types.JSONPatchType, `[{"op":"remove","path":"/spec/nothing"}]`, apierrors.IsInvalid)
}

func setImage(t *testing.T, srv *apitest.Server, image string) {
	t.Helper()
	if _, err := apitest.Modify(srv, pod("a"), func(p *corev1.Pod) { p.Spec.Containers[0].Image = image }); err != nil {
		t.Fatal(err)
	}
}

func TestObjects_WithoutHTTP(t *testing.T) {
	srv := start(t, apitest.Config{})
	a := pod("a")
	a.Status.Phase = corev1.PodRunning
	created := create(t, srv, a).(*corev1.Pod)
	if created.Status.Phase != corev1.PodRunning || a.UID != "" {
		t.Errorf("created %v from %v", created, a)
	}
	created.Spec.NodeName, created.Status.Phase = "n1", corev1.PodFailed
	bound, err := srv.Update(created)
	if err != nil || bound.(*corev1.Pod).Status.Phase != corev1.PodRunning || bound.(*corev1.Pod).Spec.NodeName != "n1" {
		t.Errorf("update: got %v and error %v, want node n1 and phase Running", bound, err)
	}
	if _, err = srv.UpdateStatus(created); !apierrors.IsConflict(err) {
		t.Errorf("stale status: %v", err)
	}
	created.ResourceVersion = ""
	failed, err := srv.UpdateStatus(created)
	if err != nil || failed.(*corev1.Pod).Status.Phase != corev1.PodFailed {
		t.Errorf("update of the status: got %v and error %v, want phase Failed", failed, err)
	}
	created.UID = "other"
	if _, err = srv.Update(created); !apierrors.IsConflict(err) {
		t.Errorf("second object of the same name: %v", err)
	}
	patched, err := srv.Patch(pod("a"), types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`))
	if err != nil || patched.GetLabels()["x"] != "y" || patched.GetResourceVersion() != "5" {
		t.Errorf("patch: got %v and error %v, want label x=y and version 5", patched, err)
	}
	stale := "2"
	client := clientset(t, protobuf(srv.RESTConfig())).CoreV1().Pods("default")
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &stale}}
	if err = client.Delete(t.Context(), "a", options); !apierrors.IsConflict(err) {
		t.Errorf("delete of an old version: %v", err)
	}
	if err = srv.Delete(pod("a")); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"delete": srv.Delete(pod("a")), "get": second(srv.Get(pod("a"))), "update": second(srv.Update(pod("a"))),
		"modify": second(apitest.Modify(srv, pod("a"), func(*corev1.Pod) {})),
	} {
		if !apierrors.IsNotFound(err) {
			t.Errorf("%s of a missing object: got %v, want it not found", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestPatch_ManyWritersLoseNothing(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	create(t, srv, job("j", "q"))
	client, err := metadata.NewForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 20 {
		writers.Go(func() {
			patch := fmt.Appendf(nil, `{"metadata":{"labels":{"w%d":"yes"}}}`, i)
			_, err := client.Resource(jobs).Namespace("default").Patch(t.Context(), "j", types.MergePatchType, patch, metav1.PatchOptions{})
			if err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	got, err := srv.Get(job("j", ""))
	if err != nil || len(got.GetLabels()) != 20 || srv.Version() != 22 {
		t.Errorf("%d labels at version %d, %v", len(got.GetLabels()), srv.Version(), err)
	}
}

// typedJob is a Go type of a custom resource, as users write them.
type typedJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Queue string `json:"queue"`
	} `json:"spec"`
}

func (j *typedJob) DeepCopyObject() runtime.Object {
	out := *j
	out.ObjectMeta = *j.ObjectMeta.DeepCopy()
	return &out
}

func TestObjects_InAnyGoType(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	mine := &typedJob{TypeMeta: metav1.TypeMeta{APIVersion: "batch.example.com/v1", Kind: "TrainingJob"}}
	mine.Namespace, mine.Name, mine.Spec.Queue = "default", "j", "q"
	create(t, srv, mine)
	changed, err := apitest.Modify(srv, mine, func(j *typedJob) { j.Spec.Queue = "other" })
	if err != nil || changed.Spec.Queue != "other" || changed.Generation != 2 {
		t.Errorf("modify: got %+v and error %v, want queue other, generation 2", changed, err)
	}
	asMap, err := srv.Get(job("j", ""))
	if err != nil {
		t.Fatal(err)
	}
	queue, _, err := unstructured.NestedString(asMap.(*unstructured.Unstructured).Object, "spec", "queue")
	if err != nil || queue != "other" {
		t.Errorf("object as a map: got %v and error %v, want queue other", asMap, err)
	}
	podMap := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"namespace": "default", "name": "a"},
		"spec": map[string]any{"nodeName": "n1"},
	}}
	create(t, srv, podMap)
	typed, err := srv.Get(pod("a"))
	if err != nil || typed.(*corev1.Pod).Spec.NodeName != "n1" {
		t.Errorf("object as a Pod: got %v and error %v, want node n1", typed, err)
	}
	again, err := srv.Get(podMap)
	if err != nil || again.GetObjectKind().GroupVersionKind().Kind != "Pod" {
		t.Errorf("object as a map again: got %v and error %v, want kind Pod", again, err)
	}
	for _, obj := range []apitest.Object{nil, (*corev1.Pod)(nil), &metav1.PartialObjectMetadata{}, &typedJob{}} {
		if _, err := srv.Create(obj); err == nil {
			t.Errorf("create of %T: got no error, want one", obj)
		}
	}
	if diff := cmp.Diff([]string{"a"}, namesIn(t, srv, pod(""))); diff != "" {
		t.Errorf("got other names (-want +got):\n%s", diff)
	}
}

func namesIn(t *testing.T, srv *apitest.Server, like apitest.Object) []string {
	t.Helper()
	objects, err := srv.List(like, "")
	if err != nil {
		t.Fatal(err)
	}
	return namesOf(objects)
}

// TestUpdate_RefusesMetadata: updates and patches of a client cannot give an object metadata that no server accepts.
func TestUpdate_RefusesMetadata(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}})
	ctx, client := background(t), dynamicJobs(t, srv)
	made, err := client.Create(ctx, job("j", "q"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*unstructured.Unstructured){
		"label":     func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "*"}) },
		"finalizer": func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"x y"}) },
		"owner":     func(u *unstructured.Unstructured) { u.SetOwnerReferences([]metav1.OwnerReference{{Name: "x"}}) },
	} {
		next := made.DeepCopy()
		change(next)
		if _, err := client.Update(ctx, next, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
			t.Errorf("update with a bad %s: got error %v", name, err)
		}
	}
	if _, err := client.Patch(ctx, "j", types.MergePatchType, []byte(`{"metadata":{"annotations":{"a/b/c":""}}}`), metav1.PatchOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("patch with a bad annotation: got error %v", err)
	}
}
