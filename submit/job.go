package submit

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
)

// Job is an object of any type that stands for a job.
type Job struct {
	Resource  kube.Resource
	Namespace string
	Name      string
	UID       string
	// Object is the job as it was read. It belongs to the caller.
	Object *unstructured.Unstructured
}

// JobOf returns the job that an object of a type is.
func JobOf(r kube.Resource, object *unstructured.Unstructured) Job {
	return Job{
		Resource: r, Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: string(object.GetUID()), Object: object,
	}
}

// String returns the form that commands take: "job/train-7", "pytorchjob.kubeflow.org/train-7".
func (j Job) String() string { return TypeName(j.Resource) + "/" + j.Name }

// TypeName returns the short name of a type for people: the singular of a type of
// Kubernetes, else the singular with its group.
func TypeName(r kube.Resource) string {
	name := r.Singular
	if name == "" {
		name = r.Name
	}
	if r.Group == "" || r.Group == "batch" || r.Group == "apps" {
		return name
	}
	return name + "." + r.Group
}

// FullName returns the name of a type with its version, as kube.ClientConfig takes it:
// "jobs.v1.batch".
func FullName(r kube.Resource) string {
	if r.Version == "" { // of a job that the history names
		return r.String()
	}
	return strings.TrimSuffix(r.Name+"."+r.Version+"."+r.Group, ".")
}
