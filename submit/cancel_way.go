package submit

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/jobmeta"
)

// holder is a type whose jobs can be suspended.
type holder struct {
	// section is the path to the mapping that has suspend and managedBy.
	section []string
	// manager is the value of managedBy that names the type's own controller.
	manager string
}

var (
	spec      = []string{"spec"}
	runPolicy = []string{"spec", "runPolicy"}
)

const trainingOperator = "kubeflow.org/training-operator"

// holders are the types by group and kind, for all versions of an API.
var holders = map[string]holder{
	"batch/Job":                     {spec, "kubernetes.io/job-controller"},
	"jobset.x-k8s.io/JobSet":        {spec, "jobset.sigs.k8s.io/jobset-controller"},
	"trainer.kubeflow.org/TrainJob": {spec, "trainer.kubeflow.org/trainjob-controller"},
	"ray.io/RayJob":                 {spec, "ray.io/kuberay-operator"},
	"kubeflow.org/PyTorchJob":       {runPolicy, trainingOperator},
	"kubeflow.org/TFJob":            {runPolicy, trainingOperator},
	"kubeflow.org/JAXJob":           {runPolicy, trainingOperator},
	"kubeflow.org/PaddleJob":        {runPolicy, trainingOperator},
	"kubeflow.org/XGBoostJob":       {runPolicy, trainingOperator},
	"kubeflow.org/MPIJob":           {runPolicy, "kubeflow.org/mpi-operator"},
}

// Types whose operators stop a job on command.
const (
	volcanoJob = "batch.volcano.sh/Job"
	workflow   = "argoproj.io/Workflow"
)

// kueueQueue is the label with the queue of Kueue. Kueue resumes a suspended job.
const kueueQueue = "kueue.x-k8s.io/queue-name"

// way is the method to cancel one job.
type way struct {
	// how is a value of jobmeta.Cancel.
	how string
	// path and value are a field that is set together with the mark; empty for deletions
	// and for Volcano.
	path  []string
	value any
}

// groupKind returns the key of a type in the tables: "batch/Job".
func groupKind(apiVersion, kind string) string {
	group, _, named := strings.Cut(apiVersion, "/")
	if !named {
		group = ""
	}
	return group + "/" + kind
}

// wayOf returns the method to cancel a job.
//
// Errors: errcode.Invalid for a type that cannot be suspended.
func wayOf(object *unstructured.Unstructured, how How) (way, error) {
	deletion := way{how: jobmeta.CancelDelete}
	if how == Deleting {
		return deletion, nil
	}
	of := groupKind(object.GetAPIVersion(), object.GetKind())
	h, holds := holders[of]
	switch {
	case of == volcanoJob:
		return way{how: jobmeta.CancelCommand}, nil
	case of == workflow && how == AsTypeDemands:
		return way{jobmeta.CancelCommand, []string{"spec", "shutdown"}, "Terminate"}, nil
	case holds && suspendable(of, object) && (how == Suspending || !h.resumed(object)):
		return way{jobmeta.CancelSuspend, append(append([]string{}, h.section...), "suspend"), true}, nil
	case how == Suspending:
		return way{}, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("this %s cannot be suspended", object.GetKind()), Remedy: "cancel it as its type demands"}
	}
	return deletion, nil
}

// suspendable reports whether the operator of a type accepts the suspension of this job.
// KubeRay refuses it for clusters that do not belong to the job, or that outlive it.
func suspendable(of string, object *unstructured.Unstructured) bool {
	if of != "ray.io/RayJob" {
		return true
	}
	shutdown, _, _ := unstructured.NestedBool(object.Object, "spec", "shutdownAfterJobFinishes")
	selector, _, _ := unstructured.NestedMap(object.Object, "spec", "clusterSelector")
	return shutdown && len(selector) == 0
}

// resumed reports whether a queue manager would resume the job.
func (h holder) resumed(object *unstructured.Unstructured) bool {
	by, _, _ := unstructured.NestedString(object.Object, append(append([]string{}, h.section...), "managedBy")...)
	return object.GetLabels()[kueueQueue] != "" || by != "" && by != h.manager
}

// applied reports whether the field of the way already has its value.
func (w way) applied(object *unstructured.Unstructured) bool {
	if w.path == nil {
		return false
	}
	v, _, err := unstructured.NestedFieldNoCopy(object.Object, w.path...)
	return err == nil && v == w.value
}

// parentOf returns the object that would start the job again, such as "JobSet train-7", or
// "".
func parentOf(object *unstructured.Unstructured) string {
	owner := metav1.GetControllerOf(object)
	if owner == nil {
		return ""
	}
	of := groupKind(owner.APIVersion, owner.Kind)
	if _, holds := holders[of]; !holds && of != volcanoJob {
		return ""
	}
	return owner.Kind + " " + owner.Name
}
