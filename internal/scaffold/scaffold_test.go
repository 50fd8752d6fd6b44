package scaffold_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/scaffold"
	"github.com/vedette-io/vedette/kube"
)

func TestParseType(t *testing.T) {
	for text, want := range map[string]string{
		"batch/v1/Job":                               "jobs.batch Namespaced batchv1.Job",
		"v1/Pod":                                     "pods Namespaced corev1.Pod",
		"/v1/Node":                                   "nodes Cluster corev1.Node",
		"networking.k8s.io/v1/NetworkPolicy":         "networkpolicies.networking.k8s.io Namespaced networkingv1.NetworkPolicy",
		"example.com/v1/TrainJob":                    "trainjobs.example.com Namespaced TrainJob",
		"example.com/v1alpha1/Policy":                "policies.example.com Namespaced Policy",
		"batch/v7/Job":                               "",
		"batch/v1/Jobs":                              "",
		"Job":                                        "",
		"batch/Job":                                  "",
		"example.com/v1/trainjob":                    "",
		"example.com/1/TrainJob":                     "",
		"example.com/v1/Train\nJob":                  "",
		"example.com/v1/Train{{.}}":                  "",
		"Example.com/v1/TrainJob":                    "",
		"example.com\": [\"/v1/TrainJob":             "",
		"example..com/v1/TrainJob":                   "",
		"a/b/v1/TrainJob":                            "",
		"example.com/v1/T" + strings.Repeat("x", 63): "",
	} {
		typ, err := scaffold.ParseType(text, false)
		got := ""
		if err == nil {
			got = typ.Resource() + " " + typ.Scope + " " + typ.Go()
		}
		if got != want {
			t.Errorf("%q: got %q and error %v, want %q", text, got, err, want)
		}
	}
	if typ, err := scaffold.ParseType("example.com/v1/Pool", true); err != nil || typ.Namespaced() {
		t.Errorf("a cluster-scoped custom resource: got %+v and error %v", typ, err)
	}
}

// TestWrite writes a project for each built-in type that can be watched, and for a custom
// resource. All Go files are formatted, so they parse; all manifests parse and have the name.
func TestWrite(t *testing.T) {
	types := []string{"example.com/v1/TrainJob"}
	for kind := range scheme.Scheme.AllKnownTypes() {
		if r, ok := kube.BuiltinResource(kind); ok && r.Can("watch") {
			types = append(types, strings.TrimPrefix(kind.Group+"/"+kind.Version+"/"+kind.Kind, "/"))
		}
	}
	if len(types) < 60 {
		t.Errorf("found only %d built-in types", len(types))
	}
	for _, text := range types {
		typ, err := scaffold.ParseType(text, false)
		if err != nil {
			t.Error(err)
			continue
		}
		dir := filepath.Join(t.TempDir(), "a", "b")
		project, err := scaffold.New(scaffold.Options{Name: "trainer", Type: typ, Dir: dir, Vedette: "../.."})
		if err != nil {
			t.Fatal(err)
		}
		if err := project.Write(); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, name := range []string{"crd", "rights", "deployment"} {
			text, err := os.ReadFile(filepath.Join(dir, "deploy", name+".yaml"))
			if missing := os.IsNotExist(err); missing != (name == "crd" && !typ.Custom()) {
				t.Errorf("%s: deploy/%s.yaml: %v", typ.Resource(), name, err)
			}
			for doc := range strings.SplitSeq(string(text), "\n---\n") {
				var object map[string]any
				if err := yaml.UnmarshalStrict([]byte(doc), &object); err != nil {
					t.Errorf("%s: deploy/%s.yaml: %v", typ.Resource(), name, err)
				}
			}
		}
		if err := project.Write(); err == nil || !strings.Contains(err.Error(), "has files") {
			t.Errorf("second Write: got %v, want an error", err)
		}
	}
}

// TestOnlyWatched: the rights have no verb and no type that the program does not use.
func TestOnlyWatched(t *testing.T) {
	typ, err := scaffold.ParseType("batch/v1/Job", false)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cleaner")
	project, err := scaffold.New(scaffold.Options{Name: "cleaner", Type: typ, Dir: dir, Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	if err := project.Write(); err != nil {
		t.Fatal(err)
	}
	rights, err := os.ReadFile(filepath.Join(dir, "deploy", "rights.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var verbs []string
	for line := range strings.Lines(string(rights)) {
		if _, v, ok := strings.Cut(line, "verbs: "); ok {
			verbs = append(verbs, strings.TrimSpace(v))
		}
	}
	if want := []string{"[list, watch]", "[get, create, update]"}; !slices.Equal(verbs, want) {
		t.Errorf("got the verbs %q, want %q", verbs, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !strings.Contains(string(text), "require github.com/vedette-io/vedette v1.2.3\n") || strings.Contains(string(text), "replace") {
		t.Errorf("go.mod: got %v\n%s", err, text)
	}
}

// TestRefused: invalid options, and a folder with files, which stay as they are.
func TestRefused(t *testing.T) {
	typ, err := scaffold.ParseType("v1/Pod", false)
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]scaffold.Options{
		"cannot be that of an image": {Name: "a b", Dir: "x", Version: "v1.0.0"},
		"the name \"\"":              {Dir: "x", Version: "v1.0.0"},
		"the name \"a\\n- b\"":       {Name: "a\n- b", Dir: "x", Version: "v1.0.0"},
		"the name \"../a\"":          {Name: "../a", Dir: "x", Version: "v1.0.0"},
		"not the path of a Go":       {Name: "a", Module: "a b\nreplace x => y", Dir: "x", Version: "v1.0.0"},
		"has no folder":              {Name: "a", Version: "v1.0.0"},
		"not a release":              {Name: "a", Dir: "x", Version: "(devel)"},
		"not a source of Vedette":    {Name: "a", Dir: "x", Vedette: t.TempDir()},
	} {
		o.Type = typ
		if _, err := scaffold.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	dir := t.TempDir()
	kept := filepath.Join(dir, "main.go")
	if err := os.WriteFile(kept, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	project, err := scaffold.New(scaffold.Options{Name: "a", Type: typ, Dir: dir, Version: "v1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := project.Write(); err == nil {
		t.Error("Write has used a folder with files")
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "mine" {
		t.Errorf("the file has changed: %q, %v", text, err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) > 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDefinition: the definition of a new custom resource keeps every field, also in the status,
// and the test of the project reads it.
func TestDefinition(t *testing.T) {
	typ, err := scaffold.ParseType("example.com/v1/TrainJob", false)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "trainer")
	project, err := scaffold.New(scaffold.Options{Name: "trainer", Type: typ, Dir: dir, Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	if err := project.Write(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "reconcile_test.go")); err != nil || !strings.Contains(string(text), `apitest.ReadDefinitions("deploy/crd.yaml")`) {
		t.Errorf("the test does not read the definition: error %v\n%s", err, text)
	}
	types, err := apitest.ReadDefinitions(filepath.Join(dir, "deploy", "crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	phase := map[string]any{"phase": "Running", "observedGeneration": int64(1)}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "TrainJob", "metadata": map[string]any{"namespace": "ml", "name": "x"},
		"spec": map[string]any{"anything": "goes"}, "status": phase,
	}}
	srv := apitest.StartWith(t, apitest.Config{Types: types}, obj)
	got, err := srv.Get(obj)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"spec", "status"} {
		if kept := got.(*unstructured.Unstructured).Object[part]; !reflect.DeepEqual(kept, obj.Object[part]) {
			t.Errorf("%s: got %v, want %v", part, kept, obj.Object[part])
		}
	}
	obj.Object["status"] = map[string]any{"observedGeneration": "one"}
	if _, err := srv.UpdateStatus(obj); !apierrors.IsInvalid(err) {
		t.Errorf("a status of another type: got error %v", err)
	}
}
