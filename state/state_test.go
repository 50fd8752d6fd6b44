package state_test

import (
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/state"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return object
}

func TestOf(t *testing.T) {
	pod := "apiVersion: v1\nkind: Pod\n"
	job := "apiVersion: batch/v1\nkind: Job\n"
	for _, c := range []struct {
		name, object   string
		want           state.State
		raw, reason, m string
	}{
		{"pod without status", pod, state.Submitted, "", "", ""},
		{"pod that waits for a node", pod + "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no gpu}]}", state.Queued, "Pending", "Unschedulable", "no gpu"},
		{"pod that is set up", pod + "spec: {nodeName: node-1}\nstatus: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}", state.Starting, "Pending", "ImagePullBackOff", "no such image"},
		{"pod that runs", pod + "status: {phase: Running, containerStatuses: [{state: {running: {}}}]}", state.Running, "Running", "", ""},
		{"pod that crashes", pod + "status: {phase: Running, containerStatuses: [{state: {waiting: {reason: CrashLoopBackOff}}}]}", state.Restarting, "Running", "CrashLoopBackOff", ""},
		{"pod that failed", pod + "status: {phase: Failed, containerStatuses: [{state: {terminated: {exitCode: 137, reason: OOMKilled}}}]}", state.Failed, "Failed", "OOMKilled", "exit code 137"},
		{"pod that was evicted", pod + "status: {phase: Failed, reason: Evicted, message: disk}", state.Failed, "Failed", "Evicted", "disk"},
		{"pod that succeeded", pod + "status: {phase: Succeeded}", state.Succeeded, "Succeeded", "", ""},
		{"pod that is deleted while it runs", pod + "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {phase: Running}", state.Aborted, "Terminating", "", ""},
		{"pod that is deleted after its end", pod + "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {phase: Succeeded}", state.Succeeded, "Succeeded", "", ""},
		{"job without status", job, state.Submitted, "", "", ""},
		{"job in a queue", job + "metadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nstatus: {conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]}", state.Queued, "Suspended", "JobSuspended", ""},
		{"job on hold", job + "status: {conditions: [{type: Suspended, status: 'True'}]}", state.Suspended, "Suspended", "", ""},
		{"job that goes on", job + "status: {startTime: now, active: 1, conditions: [{type: Suspended, status: 'False'}]}", state.Starting, "", "", ""},
		{"job that runs", job + "status: {startTime: now, active: 1, ready: 1}", state.Running, "", "", ""},
		{"job that is tried again", job + "status: {startTime: now, active: 1, ready: 0, failed: 1}", state.Restarting, "", "PodFailed", ""},
		{"job that is about to succeed", job + "status: {startTime: now, conditions: [{type: SuccessCriteriaMet, status: 'True', reason: CompletionsReached}]}", state.Running, "SuccessCriteriaMet", "CompletionsReached", ""},
		{"job whose pods are done", job + "status: {startTime: now, active: 0, ready: 0, succeeded: 1}", state.Running, "", "", ""},
		{"job that succeeded", job + "status: {succeeded: 1, failed: 2, conditions: [{type: Complete, status: 'True'}]}", state.Succeeded, "Complete", "", ""},
		{"job that failed", job + "status: {failed: 4, conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded, message: too often}]}", state.Failed, "Failed", "BackoffLimitExceeded", "too often"},
		{"kind without a rule, with a phase", "kind: X\nstatus: {phase: Running}", state.Running, "Running", "", ""},
		{"kind without a rule, with a phase of its own", "kind: X\nstatus: {phase: Bound}", "", "Bound", "", ""},
		{"kind without a rule, with conditions", "kind: X\nstatus: {conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Succeeded, status: 'True', reason: Done}]}", state.Succeeded, "Succeeded", "Done", ""},
		{"node that is well", "apiVersion: v1\nkind: Node\nstatus: {phase: Running, conditions: [{type: Ready, status: 'True', reason: KubeletReady}]}", "", "Ready", "KubeletReady", ""},
		{"node that is not", "apiVersion: v1\nkind: Node\nstatus: {conditions: [{type: Ready, status: 'False'}]}", "", "NotReady", "", ""},
		{"node nobody knows of", "apiVersion: v1\nkind: Node\nstatus: {conditions: [{type: Ready, status: Unknown}]}", "", "", "", ""},
		{"fields of other types than expected", pod + "status: [1, 2]\nspec: x", state.Submitted, "", "", ""},
		{"nothing at all", "{}", "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := state.Of(parse(t, c.object))
			want := state.Status{State: c.want, Raw: c.raw, Reason: c.reason, Message: c.m}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func ExampleOf() {
	job := map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"status": map[string]any{"startTime": "2026-01-01T00:00:00Z", "active": int64(2), "ready": int64(2)},
	}
	fmt.Println(state.Of(job))
	// Output: Running
}
