package submit

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
)

// Job is an object of any type of job.
type Job struct {
	Resource  kube.Resource
	Namespace string
	Name      string
	UID       string
	// Object is the job as it was read. It belongs to the caller.
	Object *unstructured.Unstructured
}

// JobOf returns the job for an object of a type.
func JobOf(r kube.Resource, object *unstructured.Unstructured) Job {
	return Job{
		Resource: r, Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: string(object.GetUID()), Object: object,
	}
}

// String returns the form of commands: "job/train-7", "pytorchjob.kubeflow.org/train-7".
func (j Job) String() string { return TypeName(j.Resource) + "/" + j.Name }

// TypeName returns the short name of a type for people: the singular for a built-in type,
// else the singular with the group.
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

// FullName returns the name of a type with its version, in the form of kube.ClientConfig:
// "jobs.v1.batch".
func FullName(r kube.Resource) string {
	if r.Version == "" { // for a job from the history
		return r.String()
	}
	return strings.TrimSuffix(r.Name+"."+r.Version+"."+r.Group, ".")
}
