package template_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/template"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// needed are the minimum values with which the templates create an object.
var needed = template.Values{"image": "registry.example.com/train:1", "command": []string{"python", "train.py", "--name=a b"}, "data": "wiki", "queue": "team-a"}

// all are values for every parameter of the built-in templates.
var all = template.Values{
	"name": "train-7", "prefix": "train-", "queue": "team-a", "priority": "high", "image": "registry.example.com/train:1",
	"command": []string{"python", "train.py", "it's"}, "env": map[string]string{"A": "1", "B": "x: y"}, "directory": "/work",
	"gpus": 8, "gpuResource": "amd.com/gpu", "cpus": "16", "memory": "64Gi", "sharedMemory": "16Gi", "workers": 4, "nodes": 4,
	"model": "qwen-72b", "data": "wiki", "hours": 2, "options": []string{"--lr=1e-5"},
	"retries": 3, "deadline": 3600, "ttl": 600, "serviceAccount": "trainer", "nodeSelector": map[string]string{"gpu": "h100"},
	"headCpus": "2", "headMemory": "8Gi", "runtime": "mpi", "runtimeKind": "TrainingRuntime",
}

// only returns the values of a template's parameters. With complete, it fails the test if
// one is missing.
func only(t *testing.T, tmpl *template.Template, from template.Values, complete bool) template.Values {
	values := template.Values{}
	for _, p := range tmpl.Parameters() {
		v, ok := from[p.Name]
		if !ok && complete {
			t.Errorf("the test has no value for the parameter %s of the template %s", p.Name, tmpl.Name)
		}
		if ok && (complete || p.Required) {
			values[p.Name] = v
		}
	}
	return values
}

// TestBuiltins: the server accepts the objects of all built-in templates and of the example without
// unknown fields, with only the required values and with values for all parameters.
func TestBuiltins(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	set := template.Builtin()
	if err := set.AddFolder("../../examples/submit"); err != nil {
		t.Fatal(err)
	}
	entries := set.All()
	var types []string
	for _, e := range entries {
		if e.Err != nil {
			t.Fatal(e.Err)
		}
		types = append(types, e.Template.Type)
	}
	for _, want := range []string{"jobs.batch", "pytorchjobs.kubeflow.org", "trainjobs.trainer.kubeflow.org", "rayjobs.ray.io", "jobsets.jobset.x-k8s.io", "jobs.batch.volcano.sh"} {
		if !slices.Contains(types, want) {
			t.Errorf("there is no template for %s", want)
		}
	}
	slices.Sort(types)
	crds.Install(t, cluster, slices.DeleteFunc(slices.Compact(types), func(name string) bool { return name == "jobs.batch" })...)
	for _, e := range entries {
		for what, values := range map[string]template.Values{"required": only(t, e.Template, needed, false), "all": only(t, e.Template, all, true)} {
			t.Run(e.Name+"/"+what, func(t *testing.T) {
				m, err := e.Template.Render(values)
				if err != nil {
					t.Fatal(err)
				}
				create(t, cluster, e.Template.Type, m.Object.Object)
			})
		}
	}
}

// create creates an object with a dry run. An unknown field is an error.
func create(t *testing.T, cluster *kube.Cluster, typ string, object map[string]any) {
	t.Helper()
	r, err := cluster.Resolve(t.Context(), typ)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	body, err := cluster.Do(t.Context(), kube.Request{
		Method: http.MethodPost,
		Path:   fmt.Sprintf("/apis/%s/%s/namespaces/default/%s", r.Group, r.Version, r.Name),
		Query:  url.Values{"dryRun": {"All"}, "fieldValidation": {"Strict"}},
		Body:   text,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer body.Close()
	if _, err := io.Copy(io.Discard, body); err != nil {
		t.Error(err)
	}
}
