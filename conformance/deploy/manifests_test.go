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
)

// base is the folder of the manifests.
var base = filepath.Join("..", "..", "deploy")

// kustomization has the relevant fields of a kustomization.yaml.
type kustomization struct {
	Namespace          string
	Resources          []string
	Images             []struct{ Name string }
	ConfigMapGenerator []struct {
		Name  string
		Files []string
	}
}

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

// manifests returns all objects of the base, as kustomize makes them, except for hashes
// in names.
func manifests(t *testing.T) (all []*unstructured.Unstructured) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(base, "kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var k kustomization
	if err := yaml.Unmarshal(text, &k); err != nil {
		t.Fatal(err)
	}
	for _, name := range k.Resources {
		all = append(all, documents(t, name)...)
	}
	for _, g := range k.ConfigMapGenerator {
		data := map[string]any{}
		for _, name := range g.Files {
			text, err := os.ReadFile(filepath.Join(base, name))
			if err != nil {
				t.Fatal(err)
			}
			data[name] = string(text)
		}
		all = append(all, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": g.Name, "namespace": k.Namespace}, "data": data,
		}})
	}
	return append(all, documents(t, "database.example.yaml")...)
}

// places are the resources of the base's kinds.
var places = map[string]schema.GroupVersionResource{
	"Namespace":           {Version: "v1", Resource: "namespaces"},
	"ServiceAccount":      {Version: "v1", Resource: "serviceaccounts"},
	"ConfigMap":           {Version: "v1", Resource: "configmaps"},
	"Secret":              {Version: "v1", Resource: "secrets"},
	"Service":             {Version: "v1", Resource: "services"},
	"Pod":                 {Version: "v1", Resource: "pods"},
	"StatefulSet":         {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"PodDisruptionBudget": {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"ClusterRole":         {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding":  {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
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

// applyAll applies the base, and the Pod that its StatefulSet would create, because its
// namespace admits only restricted Pods. It returns the objects by kind.
func applyAll(t *testing.T, client dynamic.Interface) map[string]*unstructured.Unstructured {
	t.Helper()
	kinds := map[string]*unstructured.Unstructured{}
	for _, obj := range manifests(t) {
		apply(t, client, obj)
		kinds[obj.GetKind()] = obj
	}
	pod := podOf(t, kinds["StatefulSet"])
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

// podOf returns a Pod from the template of a StatefulSet.
func podOf(t *testing.T, set *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	template, found, err := unstructured.NestedMap(set.Object, "spec", "template")
	if !found || err != nil {
		t.Fatalf("the StatefulSet has no template: %v", err)
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
