package job

// flinkKinds are the types of the operator of Apache Flink, by its documentation and its API
// (apache/flink-kubernetes-operator). Labels and references of its pods do not name the job
// alone: the reference to the FlinkDeployment is not that of a controller
// (AbstractFlinkResourceReconciler.java:551).
var flinkKinds = []Kind{flinkKind("FlinkDeployment", "flinkdeployments"), flinkKind("FlinkSessionJob", "flinksessionjobs")}

func flinkKind(name, resource string) Kind {
	return Kind{
		Group: "flink.apache.org", Name: name, Resource: resource, Job: true, Indirect: true,
		Suspend: Field{[]string{"spec", "job", "state"}, "suspended", "running"},
		Status:  statusOfFlink,
	}
}

// flinkJobs are the states of a job in Flink. Other states mean that it starts.
var flinkJobs = map[string]State{
	"RUNNING":    Running,
	"FAILING":    Running, // it may be restarted
	"CANCELLING": Running,
	"SUSPENDED":  Suspended,
	"RESTARTING": Restarting,
	"FINISHED":   Succeeded,
	"FAILED":     Failed,
	"CANCELED":   Aborted,
}

// statusOfFlink follows the state of the job in Flink, and before it the lifecycle of the
// resource (api/status/CommonStatus.java:78, api/lifecycle/ResourceLifecycleState.java).
func statusOfFlink(o Object) Status {
	job, lifecycle := o.Text("status", "jobStatus", "state"), o.Text("status", "lifecycleState")
	s := Status{State: flinkJobs[job], Raw: job, Message: o.Text("status", "error")}
	if job == "" {
		s.Raw = lifecycle
	}
	switch {
	case lifecycle == "SUSPENDED" && !s.State.Final():
		s.State, s.Raw = onHold(o), lifecycle
	case lifecycle == "FAILED" && s.State != Succeeded && s.State != Aborted:
		s.State, s.Raw = Failed, lifecycle
	case s.State != "":
	case job == "" && (lifecycle == "" || lifecycle == "CREATED"):
		s.State, s.At = Submitted, o.created()
	default:
		s.State = Starting
	}
	return s
}
