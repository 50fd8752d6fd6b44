package logs

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
)

// Job names the job whose logs are read.
type Job struct {
	// Resource is the type of the job.
	Resource kube.Resource
	// Namespace, Name and UID identify the job. Names are used again, so pods are matched
	// by UID.
	Namespace, Name, UID string
	// Object is the job as the server sent it. It may be nil: the object is gone, and the
	// history names it.
	Object *unstructured.Unstructured
}
