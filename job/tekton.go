package job

// tektonKinds are the types of Tekton. Only a PipelineRun that has not started can be held
// (tektoncd/pipeline pkg/apis/pipeline/v1/pipelinerun_types.go:319-334). Labels of pods are in
// pkg/apis/pipeline/register.go:32-41.
var tektonKinds = []Kind{
	{
		Group: "tekton.dev", Name: "PipelineRun", Resource: "pipelineruns", Job: true, Indirect: true, PodLabel: "tekton.dev/pipelineRun",
		Stop: tektonStatus("Cancelled"), Hold: tektonStatus("PipelineRunPending"), Status: statusOfTektonRun,
	},
	{
		Group: "tekton.dev", Name: "TaskRun", Resource: "taskruns", Job: true, PodLabel: "tekton.dev/taskRun",
		Stop: tektonStatus("TaskRunCancelled"), Status: statusOfTektonRun,
	},
}

// tektonStatus returns the field with the requests of a user to Tekton's controller.
func tektonStatus(word string) Field { return Field{Path: []string{"spec", "status"}, On: word} }

// tektonRuns are the states of a run of Tekton that has not ended, by the reason of its
// condition. Other reasons mean that it runs.
var tektonRuns = map[string]State{
	"Started":               Starting,
	"ResolvingPipelineRef":  Starting,
	"ResolvingTaskRef":      Starting,
	"Pending":               Starting,
	"PullImageFailed":       Starting,
	"ExceededNodeResources": Queued,
	"ExceededResourceQuota": Queued,
	"PipelineRunPending":    Suspended,
	"TaskRunPending":        Suspended,
	"ToBeRetried":           Restarting,
}

// statusOfTektonRun follows the condition Succeeded of Tekton's PipelineRun and TaskRun (API
// group tekton.dev). It is Unknown until the run has ended.
func statusOfTektonRun(run Object) Status {
	c, told := conditions(run)["Succeeded"]
	switch {
	case !told:
		return Status{State: Submitted, At: run.created()}
	case c.holds():
		return c.as(Succeeded)
	case c.status == "False" && (c.reason == "Cancelled" || c.reason == "TaskRunCancelled" || c.reason == "PipelineRunCancelled"):
		return c.as(Aborted)
	case c.status == "False":
		return c.as(Failed)
	}
	s := c.as(Running)
	s.Raw = c.reason
	if known := tektonRuns[c.reason]; known != "" {
		s.State = known
	}
	return s
}
