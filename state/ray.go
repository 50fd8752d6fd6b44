package state

// rayDeployments are the states of RayJob's deployment status, where it alone determines
// the state.
var rayDeployments = map[string]State{
	"":                 Submitted,
	"Initializing":     Starting,
	"Waiting":          Queued, // for a user to submit it
	"Scheduling":       Queued,
	"Scheduled":        Queued,
	"Retrying":         Restarting,
	"Failed":           Failed,
	"ValidationFailed": Failed,
}

// rayJobs are the states of the job's status in Ray.
var rayJobs = map[string]State{
	"":          Starting,
	"PENDING":   Starting,
	"RUNNING":   Running,
	"SUCCEEDED": Succeeded,
	"FAILED":    Failed,
	"STOPPED":   Aborted,
}

// ofRayJob follows KubeRay's RayJob (API group ray.io): its deployment status, and while
// the deployment runs or is complete, its job status.
func ofRayJob(job map[string]any) Status {
	deployment, inner := text(job, "status", "jobDeploymentStatus"), text(job, "status", "jobStatus")
	s := Status{Raw: deployment, Reason: text(job, "status", "reason"), Message: text(job, "status", "message")}
	switch deployment {
	case "":
		s.At = created(job)
	case "Initializing":
		s.At = moment(job, "status", "startTime")
	case "Complete", "Failed":
		s.At = moment(job, "status", "endTime")
	}
	switch deployment {
	case "Running", "Complete":
		s.State = rayJobs[inner]
		if inner != "" {
			s.Raw = inner
		}
		if deployment == "Running" && s.State.Final() {
			s.State = Running // until it ends: it may be retried
		}
	case "Suspending", "Suspended":
		s.State = onHold(job)
	default:
		s.State = rayDeployments[deployment]
	}
	return s
}
