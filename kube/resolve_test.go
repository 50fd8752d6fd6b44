package kube_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
)

var pytorchJobs = apitest.Type{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob", Resource: "pytorchjobs", Namespaced: true}

// serve starts a server and connects to it.
func serve(t *testing.T, cfg apitest.Config) (*apitest.Server, *kube.Cluster) {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return srv, cluster
}

func TestResolve(t *testing.T) {
	_, cluster := serve(t, apitest.Config{Types: []apitest.Type{pytorchJobs}})
	for name, want := range map[string]string{
		"pods": "v1 pods Pod", "pod": "v1 pods Pod", "po": "v1 pods Pod", "Pod": "v1 pods Pod", "Pod.v1.": "v1 pods Pod",
		"jobs": "batch/v1 jobs.batch Job", "jobs.batch": "batch/v1 jobs.batch Job", "job.batch": "batch/v1 jobs.batch Job",
		"jobs.v1.batch": "batch/v1 jobs.batch Job", "Job.v1.batch": "batch/v1 jobs.batch Job",
		"deploy": "apps/v1 deployments.apps Deployment", "ns": "v1 namespaces Namespace", "no": "v1 nodes Node",
		"pytorchjobs.kubeflow.org":   "kubeflow.org/v1 pytorchjobs.kubeflow.org PyTorchJob",
		"PyTorchJob":                 "kubeflow.org/v1 pytorchjobs.kubeflow.org PyTorchJob",
		"pytorchjob.v1.kubeflow.org": "kubeflow.org/v1 pytorchjobs.kubeflow.org PyTorchJob",
		"events":                     "v1 events Event", "events.events.k8s.io": "events.k8s.io/v1 events.events.k8s.io Event",
	} {
		r, err := cluster.Resolve(t.Context(), name)
		if got := r.APIVersion() + " " + r.String() + " " + r.Kind; err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
	}
	if r, _ := cluster.Resolve(t.Context(), "nodes"); r.Scope != kube.ClusterScoped {
		t.Error("got namespaced nodes, want cluster-scoped")
	}
	all, err := cluster.Resources(t.Context())
	if err != nil || !slices.ContainsFunc(all, func(r kube.Resource) bool { return r.Kind == "PyTorchJob" }) || all[0].Group != "" {
		t.Errorf("got %v and error %v, want PyTorchJob, and the core group first", all, err)
	}
}

func TestResolveLooksAgain(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	if _, err := cluster.Resolve(t.Context(), "pods"); err != nil {
		t.Fatal(err)
	}
	if err := srv.Register(pytorchJobs); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Resolve(t.Context(), "pytorchjobs"); err != nil {
		t.Errorf("Resolve of a new type: got %v", err)
	}
	asked := len(srv.Requests())
	for range 10 {
		if _, err := cluster.Resolve(t.Context(), "pods"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(srv.Requests()); n != asked {
		t.Errorf("got %d requests for a known type", n-asked)
	}
}

func TestResolveUnknown(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	for name, near := range map[string]string{"pdos": "pods", "job": "", "deplyoment": "deployments.apps", "xyzzy": "", "pods.apps": "", "nodse": "nodes"} {
		_, err := cluster.Resolve(t.Context(), name)
		var unknown *kube.UnknownResourceError
		switch {
		case name == "job":
			if err != nil {
				t.Error(err)
			}
		case !errors.As(err, &unknown) || !apierrors.IsNotFound(err):
			t.Errorf("%s: got %v, want it unknown", name, err)
		case near != "" && (len(unknown.Near) == 0 || unknown.Near[0] != near):
			t.Errorf("%s: got suggestions %v, want %s", name, unknown.Near, near)
		case near == "" && name == "xyzzy" && len(unknown.Near) > 0:
			t.Errorf("%s: got suggestions %v, want none", name, unknown.Near)
		}
	}
}

// TestResolveWithAFailingGroup checks that an aggregated API that does not answer hides
// no other type.
func TestResolveWithAFailingGroup(t *testing.T) {
	answers := map[string]string{
		"/api":            `{"kind":"APIVersions","versions":["v1"]}`,
		"/apis":           `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"down.example","versions":[{"groupVersion":"down.example/v1","version":"v1"}],"preferredVersion":{"groupVersion":"down.example/v1","version":"v1"}}]}`,
		"/api/v1":         `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list","watch"]},{"name":"pods/status","kind":"Pod"}]}`,
		"/apis/nonsense/": ``,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte(answer))
	}))
	defer srv.Close()
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: srv.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	r, err := cluster.Resolve(t.Context(), "pod")
	if err != nil || r.Name != "pods" {
		t.Errorf("got %v and error %v, want pods", r, err)
	}
	if _, err := cluster.Resolve(t.Context(), "downs"); err == nil || !strings.Contains(err.Error(), "downs") {
		t.Errorf("a type of the failing group: got %v", err)
	}
}
