package job

import (
	"slices"
	"strings"
)

// Owner is an object that a pod belongs to. UID is empty if it is not known.
type Owner struct {
	APIVersion, Kind, Name, UID string
}

// Labels with which operators name the job of a pod that they do not control themselves.
const (
	jobSetUIDLabel     = "jobset.sigs.k8s.io/jobset-uid"
	trainJobStepLabel  = "trainer.kubeflow.org/trainjob-ancestor-step"
	rayOriginLabel     = "ray.io/originated-from-cr-name"
	rayOriginKindLabel = "ray.io/originated-from-crd"
)

// LabeledOwners returns the owners in the labels of a pod, nearest first. The labels are
// claims: anybody who may create a pod may write them. A label of several kinds, such as that
// of the training operator, names no owner; the controller of such a pod does.
func LabeledOwners(labels map[string]string) (all []Owner) {
	if name := labels[jobSetLabel]; name != "" {
		all = append(all, Owner{"jobset.x-k8s.io/v1alpha2", "JobSet", name, labels[jobSetUIDLabel]})
		if labels[trainJobStepLabel] != "" { // the JobSet of a TrainJob has the name of the TrainJob
			all = append(all, Owner{"trainer.kubeflow.org/v1alpha1", "TrainJob", name, ""})
		}
	}
	if name, kind := labels[rayOriginLabel], labels[rayOriginKindLabel]; name != "" && strings.HasPrefix(kind, "Ray") {
		all = append(all, Owner{"ray.io/v1", kind, name, ""})
	}
	kinds := registry.Load()
	for _, k := range slices.Backward(kinds.all) {
		if name := labels[k.PodLabel]; name != "" && k.Indirect && kinds.labels[k.PodLabel] == 1 && k.PodLabelValue == nil {
			all = append(all, Owner{k.Group + "/", k.Name, name, ""}) // the version is not known
		}
	}
	return all
}
