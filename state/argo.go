package state

// workflowPhases are those of Argo's Workflow.
var workflowPhases = map[string]State{
	"":          Submitted,
	"Pending":   Queued,
	"Running":   Running,
	"Succeeded": Succeeded,
	"Failed":    Failed,
	"Error":     Failed,
}

// ofWorkflow follows the phase of Argo's Workflow (API group argoproj.io). One that
// somebody has stopped fails; here it was told to end.
func ofWorkflow(workflow map[string]any) Status {
	phase := text(workflow, "status", "phase")
	s := Status{State: workflowPhases[phase], Raw: phase, Message: text(workflow, "status", "message")}
	suspended, _ := field(workflow, "spec", "suspend").(bool)
	switch shutdown := text(workflow, "spec", "shutdown"); {
	case shutdown != "" && s.State == Failed:
		s.State, s.Reason = Aborted, shutdown
	case suspended && s.State == Running:
		s.State = Suspended
	}
	return s
}
