package job

import (
	"strings"
	"time"
)

// argoKinds are the types of Argo Workflows.
var argoKinds = []Kind{{
	Group: "argoproj.io", Name: "Workflow", Resource: "workflows", Job: true, PodLabel: "workflows.argoproj.io/workflow",
	Stop: Field{Path: []string{"spec", "shutdown"}, On: "Terminate"}, Hold: Field{Path: []string{"spec", "suspend"}, On: true},
	OfRun: [][]string{
		{"metadata", "labels", "workflows.argoproj.io/completed"},
		{"metadata", "labels", "workflows.argoproj.io/phase"},
		{"metadata", "labels", "workflows.argoproj.io/workflow-archiving-status"},
		{"metadata", "annotations", "workflows.argoproj.io/pod-name-format"},
	},
	Status: statusOfWorkflow, podSets: podSetsOfWorkflow,
}}

// workflowPhases are the phases of Argo's Workflow.
var workflowPhases = map[string]State{
	"":          Submitted,
	"Pending":   Queued,
	"Running":   Running,
	"Succeeded": Succeeded,
	"Failed":    Failed,
	"Error":     Failed,
}

// statusOfWorkflow follows the phase of Argo's Workflow (API group argoproj.io). A workflow that
// was stopped has the phase Failed; its state is Aborted.
func statusOfWorkflow(workflow Object) Status {
	phase := workflow.Text("status", "phase")
	s := Status{State: workflowPhases[phase], Raw: phase, Message: workflow.Text("status", "message")}
	switch {
	case s.State.Final():
		s.At = workflow.Moment("status", "finishedAt")
	case s.State == Running:
		s.At = workflow.Moment("status", "startedAt")
	case s.State != "":
		s.At = workflow.created()
	}
	if s.State == Running {
		s.nodes(workflow)
	}
	suspended, _ := workflow.At("spec", "suspend").(bool)
	switch shutdown := workflow.Text("spec", "shutdown"); {
	case shutdown != "" && s.State == Failed:
		s.State, s.Reason = Aborted, shutdown
	case suspended && s.State == Running:
		s.State, s.At = Suspended, time.Time{} // no field has the time
	}
	return s
}

// nodes reads what a running workflow waits for: a step that suspends it, or its first
// pods. From its first pod that ran on, it runs between its pods.
func (s *Status) nodes(workflow Object) {
	nodes := workflow.Map("status", "nodes")
	var waits, paused string // the first IDs, because the order of a map changes
	ran, runs := false, false
	for id := range nodes {
		node := nodes.Map(id)
		switch kind, phase := node.Text("type"), node.Text("phase"); {
		case kind == "Pod" && phase == "Pending":
			if waits == "" || id < waits {
				waits = id
			}
		case kind == "Pod":
			ran, runs = true, runs || phase == "Running"
		case kind == "Suspend" && phase == "Running" && (paused == "" || id < paused):
			paused = id
		}
	}
	switch {
	case waits != "" && !ran:
		s.pendingNode(nodes.Text(waits, "message"))
	case paused != "" && waits == "" && !runs:
		s.State, s.Reason, s.At = Suspended, "Suspend", nodes.Moment(paused, "startedAt")
		if s.Message == "" {
			s.Message = nodes.Text(paused, "displayName")
		}
	}
}

// pendingNode sets the status of a workflow whose pods wait. The message of a node is the
// reason of its pod, a colon, and its message.
func (s *Status) pendingNode(message string) {
	s.State, s.At = Starting, time.Time{}
	reason, rest, _ := strings.Cut(message, ": ")
	if reason == "Unschedulable" {
		s.State = Queued
	}
	s.because(condition{reason: reason, message: rest})
}

// podSetsOfWorkflow returns the largest pod of a workflow. The number of concurrent pods is
// unknown before it runs.
func podSetsOfWorkflow(o Object) []podSet {
	var largest podSet
	for _, t := range o.List("spec", "templates") {
		for _, kind := range []string{"container", "script"} {
			c := t.Map(kind)
			if c == nil {
				continue
			}
			s := podsOf(1, Object{"containers": []any{map[string]any(c)}})
			if largest.pod == nil || s.holds.gpus > largest.holds.gpus {
				largest = s
			}
		}
	}
	if largest.pod == nil {
		return nil
	}
	return []podSet{largest}
}
