package apitest_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/vedette-io/vedette/apitest"
)

// managers returns the owners of an object, with their operations and subresources.
func managers(obj metav1.Object) []string {
	var all []string
	for _, e := range obj.GetManagedFields() {
		all = append(all, strings.TrimSuffix(e.Manager+" "+string(e.Operation)+" "+e.Subresource, " "))
	}
	slices.Sort(all)
	return all
}

// TestApply: server-side apply creates and merges objects, reports conflicts, and removes what an owner no longer
// applies. It changes nothing if nothing differs.
func TestApply(t *testing.T) {
	srv := start(t, apitest.Config{})
	ctx, maps := background(t), clientset(t, srv.RESTConfig()).CoreV1().ConfigMaps("default")
	config := func(data map[string]string) *applycorev1.ConfigMapApplyConfiguration {
		return applycorev1.ConfigMap("c", "default").WithData(data)
	}
	a, b := metav1.ApplyOptions{FieldManager: "a"}, metav1.ApplyOptions{FieldManager: "b"}
	first, err := maps.Apply(ctx, config(map[string]string{"x": "1", "y": "1"}), a)
	if err != nil || first.UID == "" || first.Data["x"] != "1" || !slices.Equal(managers(first), []string{"a Apply"}) {
		t.Fatalf("got %+v and %v, want an object of a", first, err)
	}
	same, err := maps.Apply(ctx, config(map[string]string{"x": "1", "y": "1"}), a)
	if err != nil || same.ResourceVersion != first.ResourceVersion {
		t.Errorf("got version %s and %v, want %s: nothing differs", same.ResourceVersion, err, first.ResourceVersion)
	}
	_, err = maps.Apply(ctx, config(map[string]string{"x": "2"}), b)
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "a": .data.x`) {
		t.Errorf("got %v, want a conflict with a", err)
	}
	b.Force = true
	taken, err := maps.Apply(ctx, config(map[string]string{"x": "2"}), b)
	if err != nil || taken.Data["x"] != "2" || taken.Data["y"] != "1" {
		t.Errorf("got %v and %v, want x of b and y of a", taken.Data, err)
	}
	less, err := maps.Apply(ctx, config(nil), a)
	if err != nil || len(less.Data) != 1 || !slices.Equal(managers(less), []string{"b Apply"}) {
		t.Errorf("got %v of %q and %v, want only x of b", less.Data, managers(less), err)
	}
	less.Data["z"] = "3"
	updated, err := maps.Update(ctx, less, metav1.UpdateOptions{FieldManager: "c"})
	if err != nil || !slices.Equal(managers(updated), []string{"b Apply", "c Update"}) {
		t.Errorf("got the owners %q and %v, want b and c", managers(updated), err)
	}
	if _, err := maps.Apply(ctx, config(map[string]string{"z": "4"}), a); !apierrors.IsConflict(err) {
		t.Errorf("got %v, want a conflict with the update of c", err)
	}
	if _, err := maps.Patch(ctx, "c", types.ApplyPatchType, []byte(`{"apiVersion":"v1","kind":"ConfigMap"}`), metav1.PatchOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("got %v without a field manager, want Invalid", err)
	}
	dry, err := maps.Apply(ctx, applycorev1.ConfigMap("dry", "default"), metav1.ApplyOptions{FieldManager: "a", DryRun: []string{metav1.DryRunAll}})
	if err != nil || dry.UID == "" {
		t.Errorf("got %+v and %v, want an object that is not stored", dry, err)
	}
	if _, err := maps.Get(ctx, "dry", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want NotFound after a dry run", err)
	}
}

// TestApply_Lists: elements of lists are merged by their keys, an object without owners gets them with the first apply,
// and the status has its own owners.
func TestApply_Lists(t *testing.T) {
	srv := start(t, apitest.Config{})
	ctx, client := background(t), clientset(t, srv.RESTConfig())
	if _, err := srv.Create(pod("p")); err != nil {
		t.Fatal(err)
	}
	pods := client.CoreV1().Pods("default")
	got, err := pods.Apply(ctx, applycorev1.Pod("p", "default").WithSpec(applycorev1.PodSpec().WithContainers(
		applycorev1.Container().WithName("side").WithImage("proxy"))), metav1.ApplyOptions{FieldManager: "mesh"})
	if err != nil || len(got.Spec.Containers) != 2 || !slices.Equal(managers(got), []string{"before-first-apply Update", "mesh Apply"}) {
		t.Fatalf("got %+v of %q and %v, want two containers of two owners", got.Spec.Containers, managers(got), err)
	}
	status, err := pods.ApplyStatus(ctx, applycorev1.Pod("p", "default").WithStatus(applycorev1.PodStatus().WithPhase(corev1.PodRunning)),
		metav1.ApplyOptions{FieldManager: "kubelet", Force: true})
	if err != nil || status.Status.Phase != corev1.PodRunning || !slices.Contains(managers(status), "kubelet Apply status") {
		t.Errorf("got %s of %q and %v, want the status of kubelet", status.Status.Phase, managers(status), err)
	}
	if _, err := client.AppsV1().Deployments("default").ApplyStatus(ctx, applyappsv1.Deployment("none", "default"), metav1.ApplyOptions{FieldManager: "a"}); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want NotFound: the status of no object", err)
	}
}

// TestApply_Custom: custom objects are applied too.
func TestApply_Custom(t *testing.T) {
	srv := start(t, apitest.Config{Types: []apitest.Type{trainingJob}, Ownership: apitest.OwnershipAlways})
	ctx, client := background(t), dynamicJobs(t, srv)
	created, err := client.Create(ctx, job("j", "q"), metav1.CreateOptions{FieldManager: "web"})
	if err != nil || !slices.Equal(managers(created), []string{"web Update"}) {
		t.Fatalf("got the owners %q and %v, want web", managers(created), err)
	}
	labeled := &unstructured.Unstructured{}
	labeled.SetGroupVersionKind(created.GroupVersionKind())
	labeled.SetName("j")
	labeled.SetLabels(map[string]string{"team": "a"})
	got, err := client.Apply(ctx, "j", labeled, metav1.ApplyOptions{FieldManager: "labels"})
	if err != nil || got.GetLabels()["team"] != "a" || !slices.Equal(managers(got), []string{"labels Apply", "web Update"}) {
		t.Errorf("got %v of %q and %v, want a label of labels", got.GetLabels(), managers(got), err)
	}
	labeled.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "x"}})
	text, err := labeled.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Patch(ctx, "j", types.ApplyPatchType, text, metav1.PatchOptions{FieldManager: "labels"}); !apierrors.IsBadRequest(err) {
		t.Errorf("got %v, want BadRequest: managed fields cannot be applied", err)
	}
}
