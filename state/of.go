package state

import "strings"

// rules are the rules by group and kind, for all versions of an API. The state of other
// types comes from their phase and conditions.
var rules = map[string]func(object map[string]any) Status{
	"/Pod":                          ofPod,
	"/Node":                         ofConditions, // its phase is deprecated
	"apps/Deployment":               ofDeployment,
	"batch/Job":                     ofJob,
	"kueue.x-k8s.io/Workload":       ofWorkload,
	"batch.volcano.sh/Job":          ofVolcanoJob,
	"trainer.kubeflow.org/TrainJob": ofTrainJob,
	"kubeflow.org/PyTorchJob":       ofKubeflowJob,
	"kubeflow.org/TFJob":            ofKubeflowJob,
	"kubeflow.org/MPIJob":           ofKubeflowJob,
	"kubeflow.org/JAXJob":           ofKubeflowJob,
	"kubeflow.org/PaddleJob":        ofKubeflowJob,
	"kubeflow.org/XGBoostJob":       ofKubeflowJob,
	"ray.io/RayJob":                 ofRayJob,
	"jobset.x-k8s.io/JobSet":        ofJobSet,
	"argoproj.io/Workflow":          ofWorkflow,
}

// Of returns the status of an object: a struct of its type, such as *batchv1.Job, an
// *unstructured.Unstructured, or its fields as in JSON in a map[string]any. apiVersion and
// kind select the rule of its type; pods, nodes, deployments and jobs of k8s.io/api need
// neither. Of reads no objects and arrays within spec, so a caller that decodes an object
// only for Of may leave them out. A map costs the least: a struct is converted to one.
//
// Of does not change the object. The status of a value that is not an object is the zero
// Status.
func Of(object any) Status {
	fields := fieldsOf(object)
	if fields == nil {
		return Status{}
	}
	group, _, named := strings.Cut(text(fields, "apiVersion"), "/")
	if !named { // the core group has no name
		group = ""
	}
	rule := rules[group+"/"+text(fields, "kind")]
	if rule == nil {
		rule = ofPhase
	}
	s := Cancelled(fields, rule(fields))
	if text(fields, "metadata", "deletionTimestamp") != "" && !s.State.Final() {
		return Status{State: Aborted, Raw: "Terminating", Reason: s.Reason, Message: s.Message, At: told(fields)}
	}
	return s
}
