package job

// sparkKinds are the types of the Spark operator.
var sparkKinds = []Kind{{Group: "sparkoperator.k8s.io", Name: "SparkApplication", Resource: "sparkapplications", status: statusOfSparkApplication}}

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
