package logkeeper

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// Labels with which operators name the job of a pod that they do not control themselves.
const (
	jobSetName    = "jobset.sigs.k8s.io/jobset-name"
	jobSetUID     = "jobset.sigs.k8s.io/jobset-uid"
	trainJobStep  = "trainer.kubeflow.org/trainjob-ancestor-step"
	rayOrigin     = "ray.io/originated-from-cr-name"
	rayOriginKind = "ray.io/originated-from-crd"
	sparkAppName  = "sparkoperator.k8s.io/app-name"
)

// labeled returns the owners in the labels of a pod, nearest first.
func labeled(pod *corev1.Pod) (all []owner) {
	l := pod.Labels
	if name := l[jobSetName]; name != "" {
		all = append(all, owner{"jobset.x-k8s.io/v1alpha2", "JobSet", name, l[jobSetUID]})
		if l[trainJobStep] != "" { // the JobSet of a TrainJob has the name of the TrainJob
			all = append(all, owner{"trainer.kubeflow.org/v1alpha1", "TrainJob", name, ""})
		}
	}
	if name, kind := l[rayOrigin], l[rayOriginKind]; name != "" && strings.HasPrefix(kind, "Ray") {
		all = append(all, owner{"ray.io/v1", kind, name, ""})
	}
	if name := l[sparkAppName]; name != "" {
		all = append(all, owner{"sparkoperator.k8s.io/v1beta2", "SparkApplication", name, ""})
	}
	return all
}
