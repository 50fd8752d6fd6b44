package state

import "time"

// workflowPhases are the phases of Argo's Workflow.
var workflowPhases = map[string]State{
	"":          Submitted,
	"Pending":   Queued,
	"Running":   Running,
	"Succeeded": Succeeded,
	"Failed":    Failed,
	"Error":     Failed,
}

// ofWorkflow follows the phase of Argo's Workflow (API group argoproj.io). A workflow that
// was stopped has the phase Failed; its state is Aborted.
func ofWorkflow(workflow map[string]any) Status {
	phase := text(workflow, "status", "phase")
	s := Status{State: workflowPhases[phase], Raw: phase, Message: text(workflow, "status", "message")}
	switch {
	case s.State.Final():
		s.At = moment(workflow, "status", "finishedAt")
	case s.State == Running:
		s.At = moment(workflow, "status", "startedAt")
	case s.State != "":
		s.At = created(workflow)
	}
	suspended, _ := field(workflow, "spec", "suspend").(bool)
	switch shutdown := text(workflow, "spec", "shutdown"); {
	case shutdown != "" && s.State == Failed:
		s.State, s.Reason = Aborted, shutdown
	case suspended && s.State == Running:
		s.State, s.At = Suspended, time.Time{} // no field has the time
	}
	return s
}
