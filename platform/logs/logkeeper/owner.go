package logkeeper

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/job"
)

// owner is an object that a pod belongs to. name and uid may be empty.
type owner struct {
	apiVersion, kind, name, uid string
}

// group returns the API group, "" for the core group.
func (o owner) group() string {
	group, _, named := strings.Cut(o.apiVersion, "/")
	if !named {
		return ""
	}
	return group
}

// resource returns the name of the type in the form "Job.v1.batch", or "" for an invalid
// apiVersion.
func (o owner) resource() string {
	group, version, named := strings.Cut(o.apiVersion, "/")
	if !named {
		group, version = "", o.apiVersion
	}
	if o.kind == "" || version == "" || strings.ContainsAny(o.kind+version, "./ ") {
		return ""
	}
	return o.kind + "." + version + "." + group
}

// controller returns the controller of an object.
func controller(obj metav1.Object) (o owner, ok bool) {
	ref := metav1.GetControllerOfNoCopy(obj)
	if ref == nil {
		return o, false
	}
	return owner{ref.APIVersion, ref.Kind, ref.Name, string(ref.UID)}, true
}

// labeled returns the owners in the labels of a pod, nearest first.
func labeled(pod *corev1.Pod) (all []owner) {
	for _, o := range job.LabeledOwners(pod.Labels) {
		all = append(all, owner{o.APIVersion, o.Kind, o.Name, o.UID})
	}
	return all
}
