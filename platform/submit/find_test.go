package submit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
)

// someType is a type of jobs of a test server.
func someType(group, kind string) apitest.Type {
	return apitest.Type{Group: group, Version: "v1", Kind: kind, Namespaced: true, Status: true}
}

// add creates an object, with an owner unless that is nil, and returns it.
func add(t *testing.T, srv *apitest.Server, apiVersion, kind, name string, owner metav1.Object) metav1.Object {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	o.SetNamespace("ml")
	o.SetName(name)
	if owner != nil {
		yes := true
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Owner", Name: owner.GetName(), UID: owner.GetUID(), Controller: &yes}})
	}
	made, err := srv.Create(o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestFind finds jobs with and without their types.
func TestFind(t *testing.T) {
	denied := false
	srv, cluster := serve(t, apitest.Config{
		Types: []apitest.Type{someType("trainer.kubeflow.org", "TrainJob"), someType("jobset.x-k8s.io", "JobSet"), someType("batch.volcano.sh", "Job"), someType("example.com", "JobLog")},
		Authorize: func(r apitest.Request) error {
			if denied && r.Resource.Group == "trainer.kubeflow.org" {
				return errors.New(`User "wei" cannot get resource`)
			}
			return nil
		},
	})
	train := add(t, srv, "trainer.kubeflow.org/v1", "TrainJob", "a", nil)
	set := add(t, srv, "jobset.x-k8s.io/v1", "JobSet", "a", train)
	add(t, srv, "batch/v1", "Job", "a", set)
	add(t, srv, "batch/v1", "Job", "b", nil)
	add(t, srv, "batch.volcano.sh/v1", "Job", "b", nil)
	add(t, srv, "batch.volcano.sh/v1", "Job", "c", nil)
	add(t, srv, "example.com/v1", "JobLog", "d", nil)
	client := submit.New(cluster, submit.Config{})
	for name, want := range map[string]string{
		"a": "trainjob.trainer.kubeflow.org/a", "c": "job.batch.volcano.sh/c", "job/b": "job/b", "jobs.batch.volcano.sh/b": "job.batch.volcano.sh/b", "jobset/a": "jobset.jobset.x-k8s.io/a",
		"b":        "several jobs are called b in the namespace ml; name one of job.batch.volcano.sh/b, job/b",
		"d":        "no job d is in the namespace ml",
		"job/c":    "job.batch.volcano.sh/c",
		"jobset/c": "no jobset/c is in the namespace ml; did you mean job.batch.volcano.sh/c?",
		"joblog/d": "joblog.example.com/d", "x/y/z": `the name "x/y/z" has more than one /; use the form TYPE/NAME, such as job/train-7`,
	} {
		job, err := client.Find(t.Context(), name, "")
		got := ""
		if err != nil {
			got = err.Error()
		} else if got = job.String(); job.UID == "" || job.Object.GetName() != job.Name || job.Namespace != "ml" {
			t.Errorf("got %+v, want a UID, the name of the object and namespace ml", job)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, err := client.Find(t.Context(), "nosuch/a", ""); !errors.As(err, new(*kube.UnknownResourceError)) {
		t.Errorf("Find: got error %v, want an UnknownResourceError", err)
	}
	for _, name := range []string{"", "job/", "..", "job/../../pods", "a b", "job/a%2f"} {
		if job, err := client.Find(t.Context(), name, ""); err == nil {
			t.Errorf("%q: got %v, want an error", name, job)
		}
	}
	denied = true
	if job, err := client.Find(t.Context(), "c", ""); err != nil || job.Name != "c" {
		t.Errorf("a type that may not be read hides others: %v", err)
	}
	var missing *submit.DeniedError
	if _, err := client.Find(t.Context(), "nothing", ""); !errors.As(err, &missing) || missing.Verb != "get" || !strings.Contains(missing.Role, "trainjobs") {
		t.Errorf("got %v, want the verb get denied, with a Role for trainjobs", err)
	}
	if !slices.Contains(job.Types(), "jobs.batch") {
		t.Error("a Job is no job")
	}
}
