package deploy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// base is the folder of the manifests.
var base = filepath.Join("..", "..", "deploy")

// documents reads all documents of a file.
func documents(t *testing.T, name string) (all []*unstructured.Unstructured) {
	t.Helper()
	file, err := os.Open(filepath.Join(base, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		obj := &unstructured.Unstructured{}
		switch err := decoder.Decode(&obj.Object); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		case len(obj.Object) > 0:
			all = append(all, obj)
		}
	}
}

// manifests returns all objects of a folder, as kustomize makes them, and the Secret.
func manifests(t *testing.T, folder string) (all []*unstructured.Unstructured) {
	t.Helper()
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(base, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rendered.Resources() {
		text, err := r.MarshalJSON()
		obj := &unstructured.Unstructured{}
		if err == nil {
			err = obj.UnmarshalJSON(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, obj)
	}
	return append(all, documents(t, "database.example.yaml")...)
}

// places are the resources of the base's kinds.
var places = map[string]schema.GroupVersionResource{
	"Namespace":               {Version: "v1", Resource: "namespaces"},
	"ServiceAccount":          {Version: "v1", Resource: "serviceaccounts"},
	"ConfigMap":               {Version: "v1", Resource: "configmaps"},
	"Secret":                  {Version: "v1", Resource: "secrets"},
	"Service":                 {Version: "v1", Resource: "services"},
	"Pod":                     {Version: "v1", Resource: "pods"},
	"StatefulSet":             {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"Deployment":              {Group: "apps", Version: "v1", Resource: "deployments"},
	"HorizontalPodAutoscaler": {Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	"PodDisruptionBudget":     {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"ClusterRole":             {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding":      {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
}

// apply applies an object with strict validation, which refuses unknown fields.
func apply(t *testing.T, client dynamic.Interface, obj *unstructured.Unstructured, dry ...string) {
	t.Helper()
	place, known := places[obj.GetKind()]
	if !known {
		t.Fatalf("no resource for %s %s", obj.GetKind(), obj.GetName())
	}
	body, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	opts := metav1.PatchOptions{FieldManager: "deploy", FieldValidation: metav1.FieldValidationStrict, DryRun: dry}
	if _, err := client.Resource(place).Namespace(obj.GetNamespace()).Patch(t.Context(), obj.GetName(), types.ApplyPatchType, body, opts); err != nil {
		t.Fatalf("%s %s: %v", obj.GetKind(), obj.GetName(), err)
	}
}

// applyAll applies a folder, and the Pod that its workload would create, because its
// namespace admits only restricted Pods. It returns the objects by kind.
func applyAll(t *testing.T, client dynamic.Interface, folder, workload string) map[string]*unstructured.Unstructured {
	t.Helper()
	kinds := map[string]*unstructured.Unstructured{}
	for _, obj := range manifests(t, folder) {
		apply(t, client, obj)
		kinds[obj.GetKind()] = obj
	}
	pod := podOf(t, kinds[workload])
	apply(t, client, pod, metav1.DryRunAll)
	// The server enforces this: it rejects the same Pod with root.
	root := pod.DeepCopy()
	if err := unstructured.SetNestedField(root.Object, false, "spec", "securityContext", "runAsNonRoot"); err != nil {
		t.Fatal(err)
	}
	body, err := root.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	opts := metav1.PatchOptions{FieldManager: "deploy", DryRun: []string{metav1.DryRunAll}}
	if _, err := client.Resource(places["Pod"]).Namespace("vedette").Patch(t.Context(), "root", types.ApplyPatchType, bytes.ReplaceAll(body, []byte(`"vedette-0"`), []byte(`"root"`)), opts); err == nil {
		t.Error("a Pod that may run as root was admitted")
	}
	return kinds
}

// podOf returns a Pod from the template of a workload.
func podOf(t *testing.T, set *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	template, found, err := unstructured.NestedMap(set.Object, "spec", "template")
	if !found || err != nil {
		t.Fatalf("the workload has no template: %v", err)
	}
	pod := &unstructured.Unstructured{Object: template}
	pod.SetAPIVersion("v1")
	pod.SetKind("Pod")
	pod.SetNamespace(set.GetNamespace())
	pod.SetName(set.GetName() + "-0")
	volumes, _, err := unstructured.NestedSlice(pod.Object, "spec", "volumes")
	if err != nil {
		t.Fatal(err)
	}
	claims, _, err := unstructured.NestedSlice(set.Object, "spec", "volumeClaimTemplates")
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range claims {
		name, _, _ := unstructured.NestedString(claim.(map[string]any), "metadata", "name") // without a name, the server returns an error
		volumes = append(volumes, map[string]any{"name": name, "persistentVolumeClaim": map[string]any{"claimName": name + "-" + pod.GetName()}})
	}
	if err := unstructured.SetNestedSlice(pod.Object, volumes, "spec", "volumes"); err != nil {
		t.Fatal(err)
	}
	return pod
}
