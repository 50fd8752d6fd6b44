package job

import "strings"

// sparkKinds are the types of the Spark operator.
// The driver controls the executors.
var sparkKinds = []Kind{{
	Group: "sparkoperator.k8s.io", Name: "SparkApplication", Resource: "sparkapplications", Job: true, Indirect: true,
	Suspend: suspend("spec"), PodLabel: "sparkoperator.k8s.io/app-name",
	Status: statusOfSparkApplication, podSets: podSetsOfSparkApplication, requests: readSparkApplication,
}}

// sparkStates are the states of Spark's applications. An application that is ending may
// be run again, which its operator decides next.
var sparkStates = map[string]State{
	"":                  Submitted,
	"SUBMITTED":         Starting,
	"RUNNING":           Running,
	"SUCCEEDING":        Running,
	"FAILING":           Running,
	"UNKNOWN":           Running, // the node of its driver is lost
	"COMPLETED":         Succeeded,
	"FAILED":            Failed,
	"SUBMISSION_FAILED": Restarting,
	"PENDING_RERUN":     Restarting,
	"INVALIDATING":      Restarting,
	"RESUMING":          Starting,
}

// statusOfSparkApplication follows the state of SparkApplication (API group
// sparkoperator.k8s.io).
func statusOfSparkApplication(app Object) Status {
	word := app.Text("status", "applicationState", "state")
	s := Status{State: sparkStates[word], Raw: word, Message: app.Text("status", "applicationState", "errorMessage")}
	switch {
	case word == "":
		s.At = app.created()
	case word == "SUBMITTED":
		s.At = app.Moment("status", "lastSubmissionAttemptTime")
	case word == "SUSPENDING" || word == "SUSPENDED":
		s.State = onHold(app)
	case s.State.Final():
		s.At = app.Moment("status", "terminationTime")
	}
	return s
}

// podSetsOfSparkApplication returns the driver and the executors. The application does not
// contain their pods, but numbers (kubeflow/spark-operator api/v1beta2/
// sparkapplication_types.go:429, SparkPodSpec). Units of memory are those of Java.
func podSetsOfSparkApplication(o Object) []podSet {
	executors := o.Map("spec", "executor")
	return []podSet{sparkPods(1, o.Map("spec", "driver")), sparkPods(executors.Count(1, "instances"), executors)}
}

func sparkPods(count int, pod Object) podSet {
	requests := map[string]any{"cpu": pod["cores"]}
	if memory := pod.Text("memory"); memory != "" {
		requests["memory"] = javaMemory(memory)
	}
	if gpu := pod.Map("gpu"); gpu != nil {
		requests[gpu.Text("name")] = gpu["quantity"]
	}
	return podSet{count: count, holds: readResources(Object{"limits": requests})}
}

// javaMemory returns an amount of memory of Java, such as 512m, as a quantity of the API.
func javaMemory(text string) string {
	text = strings.TrimSuffix(strings.ToLower(text), "b")
	for unit, name := range map[string]string{"k": "Ki", "m": "Mi", "g": "Gi", "t": "Ti"} {
		if number, found := strings.CutSuffix(text, unit); found {
			return number + name
		}
	}
	return text
}

// readSparkApplication reads the program and the attempts of an application.
func readSparkApplication(s *Spec) {
	o := s.object
	s.Image, s.Command = o.Text("spec", "image"), append([]string{o.Text("spec", "mainApplicationFile")}, o.Texts("spec", "arguments")...)
	switch o.Text("spec", "restartPolicy", "type") {
	case "OnFailure":
		s.Attempts = o.Count(0, "spec", "restartPolicy", "onFailureRetries") + 1
	case "Always": // without a limit
	default:
		s.Attempts = 1
	}
	s.Attempt = max(1, min(o.Count(1, "status", "executionAttempts"), MaxAttempt)) // it counts the current one
	s.ended, s.counted = s.Attempt, true
}
