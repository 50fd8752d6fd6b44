package apitest_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// queues is a file with a definition and another document.
const queues = `
apiVersion: v1
kind: Namespace
metadata: {name: queues}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: queues.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Queue, listKind: QueueCollection, plural: queues, singular: queue, shortNames: [qu]}
  versions:
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    selectableFields: [{jsonPath: .spec.tier}]
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: "self.size > 0"}]
            properties:
              size: {type: integer, minimum: 1, default: 3}
              tier: {type: string, enum: [gold, silver], default: silver}
          status: {type: object, properties: {used: {type: integer}}}
`

// definitions writes a file and reads its types.
func definitions(t *testing.T, text string) ([]apitest.Type, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return apitest.ReadDefinitions(path)
}

func queue(spec, status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Queue", "metadata": map[string]any{"namespace": "ml", "name": "x"},
		"spec": spec, "status": status,
	}}
}

// TestDefinitions: objects of a type that was read from a file get defaults, lose unknown fields with a warning, and are
// refused if they are not valid, by every verb.
func TestDefinitions(t *testing.T) {
	types, err := definitions(t, queues)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	srv := apitest.StartWith(t, apitest.Config{Types: types, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if n := strings.Count(log.String(), "x-kubernetes-validations are not evaluated"); n != 1 || !strings.Contains(log.String(), "queues.example.com") {
		t.Errorf("got the log %q, want one line about the rules", log.String())
	}
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	all, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: "queues", FieldManager: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	ctx := kube.WithWarnings(t.Context(), func(text string) { warned = append(warned, text) })
	key := wire.Key{Namespace: "ml", Name: "x"}
	expect := func(step string, got *unstructured.Unstructured, err error, size any, warnings ...string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		now, _, _ := unstructured.NestedFieldNoCopy(got.Object, "spec", "size")
		_, unknown, _ := unstructured.NestedFieldNoCopy(got.Object, "spec", "colour")
		if now != size || unknown || strings.Join(warned, " ") != strings.Join(warnings, " ") {
			t.Errorf("%s: got %v with the warnings %q, want size %v and the warnings %q", step, got.Object, warned, size, warnings)
		}
		warned = nil
	}
	made, err := all.Create(ctx, queue(map[string]any{"colour": "red"}, nil))
	expect("Create", made, err, int64(3), `unknown field "spec.colour"`)
	made.Object["spec"] = map[string]any{"size": int64(5), "colour": "red"}
	made, err = all.Update(ctx, made)
	expect("Update", made, err, int64(5), `unknown field "spec.colour"`)
	made, err = all.Patch(ctx, key, kube.MergePatch([]byte(`{"spec":{"size":null,"colour":"red"}}`)))
	expect("Patch", made, err, int64(3), `unknown field "spec.colour"`)
	made, err = all.Apply(ctx, queue(map[string]any{"size": int64(6)}, nil), kube.ForceConflicts)
	expect("Apply", made, err, int64(6))
	made, err = all.Status().Patch(ctx, key, kube.MergePatch([]byte(`{"status":{"phase":"Running","used":1}}`)))
	expect("patch of the status", made, err, int64(6), `unknown field "status.phase"`)
	if _, pruned, _ := unstructured.NestedFieldNoCopy(made.Object, "status", "phase"); pruned {
		t.Errorf("got %v, want no phase", made.Object)
	}
	for step, err := range map[string]error{
		"Create": func() error {
			o := queue(map[string]any{"size": int64(0)}, nil)
			o.SetName("y")
			_, err := all.Create(ctx, o)
			return err
		}(),
		"Patch": func() error {
			_, err := all.Patch(ctx, key, kube.MergePatch([]byte(`{"spec":{"size":-1}}`)))
			return err
		}(),
		"Apply": func() error {
			_, err := all.Apply(ctx, queue(map[string]any{"tier": "iron"}, nil), kube.ForceConflicts)
			return err
		}(),
		"status": func() error {
			_, err := all.Status().Patch(ctx, key, kube.MergePatch([]byte(`{"status":{"used":"one"}}`)))
			return err
		}(),
		"Server.Create": func() error {
			o := queue(nil, nil)
			delete(o.Object, "spec")
			o.SetName("z")
			_, err := srv.Create(o)
			return err
		}(),
	} {
		if !apierrors.IsInvalid(err) {
			t.Errorf("%s of an invalid object: got error %v", step, err)
		}
	}
	strict, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: "queues", Validation: kube.RejectUnknown})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strict.Patch(ctx, key, kube.MergePatch([]byte(`{"spec":{"colour":"red"}}`))); !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `unknown field "spec.colour"`) {
		t.Errorf("an unknown field with strict validation: got error %v", err)
	}
	silver, err := kube.Collect(all.List(ctx, kube.Where{FieldSelector: "spec.tier=silver"}))
	if err != nil || len(silver) != 1 {
		t.Errorf("a list by a field of the definition: got %d objects and error %v, want 1", len(silver), err)
	}
}

// TestGenerationWithDefaults: an update that leaves out a default changes nothing.
func TestGenerationWithDefaults(t *testing.T) {
	types, err := definitions(t, queues)
	if err != nil {
		t.Fatal(err)
	}
	srv := apitest.StartWith(t, apitest.Config{Types: types, Logger: slog.New(slog.DiscardHandler)}, queue(map[string]any{}, nil))
	made, err := srv.Get(queue(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	bare := queue(map[string]any{}, nil)
	bare.SetResourceVersion(made.GetResourceVersion())
	if got, err := srv.Update(bare); err != nil || got.GetGeneration() != 1 || got.GetResourceVersion() != made.GetResourceVersion() {
		t.Errorf("got %v and error %v, want no change", got, err)
	}
}

// TestDamagedDefinitions: a file that defines no type is an error.
func TestDamagedDefinitions(t *testing.T) {
	for name, c := range map[string]struct{ old, new string }{
		"another kind":       {"kind: CustomResourceDefinition", "kind: Other"},
		"an old version":     {"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"},
		"another name":       {"name: queues.example.com", "name: other.example.com"},
		"no scope":           {"scope: Namespaced", "scope: Everywhere"},
		"nothing stored":     {"storage: true", "storage: false"},
		"no schema":          {"schema:\n      openAPIV3Schema:", "schema:\n      other:"},
		"a damaged schema":   {"required: [spec]", "required: 3"},
		"not YAML":           {"spec:", "spec: ["},
		"fields are ignored": {"group: example.com", "group: example.com\n  preserveUnknownFields: true"},
	} {
		if got, err := definitions(t, strings.Replace(queues, c.old, c.new, 1)); !errors.Is(err, apitest.ErrType) {
			t.Errorf("%s: got %v and error %v, want ErrType", name, got, err)
		}
	}
	if _, err := apitest.ReadDefinitions("does-not-exist.yaml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got error %v", err)
	}
}
