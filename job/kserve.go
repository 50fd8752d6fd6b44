package job

// kserveKinds are the types of KServe, by its API (kserve/kserve pkg/apis/serving). They do not
// end.
var kserveKinds = []Kind{{
	Group: "serving.kserve.io", Name: "InferenceService", Resource: "inferenceservices", Indirect: true, PodLabel: "serving.kserve.io/inferenceservice",
	Suspend: Field{[]string{"metadata", "annotations", "serving.kserve.io/stop"}, "true", "false"},
	Status:  statusOfInferenceService,
}}

// statusOfInferenceService follows the conditions Ready and Stopped of KServe's
// InferenceService.
func statusOfInferenceService(service Object) Status {
	conds := conditions(service)
	ready, told := conds["Ready"]
	switch {
	case conds["Stopped"].holds():
		return conds["Stopped"].as(onHold(service))
	case !told:
		return Status{State: Submitted, At: service.created()}
	case ready.holds():
		return ready.as(Running)
	}
	return ready.as(Starting)
}
