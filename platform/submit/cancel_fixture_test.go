package submit_test

import (
	"context"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
)

// workloadTypes are the custom types of the tests.
var workloadTypes = []apitest.Type{
	{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob", Namespaced: true, Status: true},
	{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob", Namespaced: true, Status: true},
	{Group: "ray.io", Version: "v1", Kind: "RayJob", Namespaced: true, Status: true},
	{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet", Namespaced: true, Status: true},
	{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job", Namespaced: true, Status: true},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "Workflow", Namespaced: true},
	{Group: "example.com", Version: "v1", Kind: "Experiment", Namespaced: true, Status: true},
}

var volcanoCommands = apitest.Type{Group: "bus.volcano.sh", Version: "v1alpha1", Kind: "Command", Namespaced: true}

// yard is a cluster with jobs to cancel.
type yard struct {
	*testing.T
	srv    *apitest.Server
	client *submit.Client
}

func newYard(t *testing.T, cfg apitest.Config) *yard {
	t.Helper()
	cfg.Types = append(cfg.Types, workloadTypes...)
	return yardOf(t, cfg)
}

// yardOf is newYard without its types.
func yardOf(t *testing.T, cfg apitest.Config) *yard {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig(), Namespace: "ml"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return &yard{t, srv, submit.New(cluster, submit.Config{User: "ann", Attempt: 5 * time.Second, Patience: 20 * time.Second})}
}

// create creates an object in the namespace ml, and returns it as a job.
func (y *yard) create(text string) submit.Job {
	y.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		y.Fatal(err)
	}
	object.SetNamespace("ml")
	if object.GetAPIVersion() == "batch/v1" { // the server keeps its own types as Go structs
		job := &batchv1.Job{}
		if err := yaml.Unmarshal([]byte(text), job); err != nil {
			y.Fatal(err)
		}
		job.Namespace = "ml"
		made, err := y.srv.Create(job)
		if err == nil {
			_, err = y.srv.UpdateStatus(made)
		}
		if err != nil {
			y.Fatal(err)
		}
	} else if _, err := y.srv.Create(object); err != nil {
		y.Fatal(err)
	}
	return y.find(object)
}

func (y *yard) find(object *unstructured.Unstructured) submit.Job {
	y.Helper()
	job, err := y.client.Find(y.Context(), typeOf(object)+"/"+object.GetName(), "ml")
	if err != nil {
		y.Fatal(err)
	}
	return job
}

func typeOf(object *unstructured.Unstructured) string {
	if group := object.GroupVersionKind().Group; group != "" {
		return object.GetKind() + "." + group
	}
	return object.GetKind()
}

// again reads a job, nil if it is deleted.
func (y *yard) again(job submit.Job) *unstructured.Unstructured {
	y.Helper()
	client, err := kube.For[unstructured.Unstructured](y.client.Cluster(), kube.ClientConfig{Resource: submit.FullName(job.Resource)})
	if err != nil {
		y.Fatal(err)
	}
	for object, err := range client.List(context.Background(), kube.Where{Namespace: job.Namespace}) {
		if err != nil {
			y.Fatal(err)
		}
		if object.GetName() == job.Name {
			return object
		}
	}
	return nil
}

// writes returns the verbs of the writes, in order: "patch", "delete", "create commands".
func (y *yard) writes() (all []string) {
	for _, r := range y.srv.Requests() {
		switch r.Verb {
		case apitest.VerbPatch, apitest.VerbDelete, apitest.VerbUpdate:
			all = append(all, string(r.Verb))
		case apitest.VerbCreate:
			if r.Resource.Resource == "commands" {
				all = append(all, "create commands")
			}
		}
	}
	return all
}

func (y *yard) inject(f apitest.Fault) {
	y.Helper()
	if _, err := y.srv.Inject(f); err != nil {
		y.Fatal(err)
	}
}

// marks returns the annotations of the cancellation.
func marks(object *unstructured.Unstructured) map[string]string {
	found := map[string]string{}
	for _, name := range []string{job.CancelledByAnnotation, job.CancelReasonAnnotation, job.CancelAnnotation} {
		if value := object.GetAnnotations()[name]; value != "" {
			found[name] = value
		}
	}
	return found
}

// change changes the status of the job train-7, like its controller.
func (y *yard) change(change func(*batchv1.JobStatus)) error {
	_, err := apitest.Modify(y.srv, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train-7"}}, func(j *batchv1.Job) { change(&j.Status) })
	return err
}
