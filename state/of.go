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

// Of returns the status of an object. object has the fields as in JSON, with apiVersion and
// kind to select the rule of its type. Of reads no objects and arrays within spec, so a
// caller that decodes an object only for Of may leave them out.
func Of(object map[string]any) Status {
	group, _, named := strings.Cut(text(object, "apiVersion"), "/")
	if !named { // the core group has no name
		group = ""
	}
	rule := rules[group+"/"+text(object, "kind")]
	if rule == nil {
		rule = ofPhase
	}
	s := Cancelled(object, rule(object))
	if text(object, "metadata", "deletionTimestamp") != "" && !s.State.Final() {
		return Status{State: Aborted, Raw: "Terminating", Reason: s.Reason, Message: s.Message, At: told(object)}
	}
	return s
}
