package state_test

import (
	"fmt"
	"maps"
	"reflect"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/state"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("not YAML: %v in:\n%s", err, text)
	}
	return object
}

func TestOf(t *testing.T) {
	pod := "apiVersion: v1\nkind: Pod\n"
	job := "apiVersion: batch/v1\nkind: Job\n"
	deployment := "apiVersion: apps/v1\nkind: Deployment\n"
	workload := "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Workload\n"
	volcano := "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n"
	torch := "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n"
	train := "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
	jobset := "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
	ray := "apiVersion: ray.io/v1\nkind: RayJob\n"
	argo := "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n"
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
		{"job that was resumed", job + "status: {startTime: now, active: 1, conditions: [{type: Suspended, status: 'False'}]}", state.Starting, "", "", ""},
		{"job that runs", job + "status: {startTime: now, active: 1, ready: 1}", state.Running, "", "", ""},
		{"job that is retried", job + "status: {startTime: now, active: 1, ready: 0, failed: 1}", state.Restarting, "", "PodFailed", ""},
		{"job that is about to succeed", job + "status: {startTime: now, conditions: [{type: SuccessCriteriaMet, status: 'True', reason: CompletionsReached}]}", state.Running, "SuccessCriteriaMet", "CompletionsReached", ""},
		{"job whose pods are done", job + "status: {startTime: now, active: 0, ready: 0, succeeded: 1}", state.Running, "", "", ""},
		{"job that succeeded", job + "status: {succeeded: 1, failed: 2, conditions: [{type: Complete, status: 'True'}]}", state.Succeeded, "Complete", "", ""},
		{"job that failed", job + "status: {failed: 4, conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded, message: too often}]}", state.Failed, "Failed", "BackoffLimitExceeded", "too often"},
		{"deployment that nobody has seen", deployment + "metadata: {generation: 2}\nstatus: {observedGeneration: 1, conditions: [{type: Available, status: 'True'}]}", state.Submitted, "", "", ""},
		{"deployment that is rolled out", deployment + "spec: {replicas: 2}\nstatus: {replicas: 3, updatedReplicas: 2, availableReplicas: 2, conditions: [{type: Progressing, status: 'True', reason: ReplicaSetUpdated}]}", state.Starting, "Progressing", "ReplicaSetUpdated", ""},
		{"deployment as it was asked for", deployment + "spec: {replicas: 2}\nstatus: {replicas: 2, updatedReplicas: 2, availableReplicas: 2, conditions: [{type: Available, status: 'True', reason: MinimumReplicasAvailable}]}", state.Running, "Available", "MinimumReplicasAvailable", ""},
		{"deployment of one, by default", deployment + "status: {conditions: [{type: Progressing, status: 'True', reason: NewReplicaSetCreated}]}", state.Starting, "Progressing", "NewReplicaSetCreated", ""},
		{"deployment that is stuck", deployment + "status: {conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: late}]}", state.Starting, "Stalled", "ProgressDeadlineExceeded", "late"},
		{"deployment without quota", deployment + "status: {conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate}]}", state.Starting, "ReplicaFailure", "FailedCreate", ""},
		{"deployment on hold", deployment + "spec: {paused: true}\nstatus: {conditions: [{type: Progressing, status: Unknown, reason: DeploymentPaused}]}", state.Suspended, "Progressing", "DeploymentPaused", ""},

		{"workload without status", workload, state.Submitted, "", "", ""},
		{"workload that waits for quota", workload + "status: {conditions: [{type: QuotaReserved, status: 'False', reason: Pending, message: no gpu}]}", state.Queued, "", "Pending", "no gpu"},
		{"workload that waits for checks", workload + "status: {conditions: [{type: QuotaReserved, status: 'True', reason: QuotaReserved}]}", state.Queued, "QuotaReserved", "QuotaReserved", ""},
		{"workload that was admitted", workload + "status: {conditions: [{type: QuotaReserved, status: 'True'}, {type: Admitted, status: 'True', reason: Admitted}]}", state.Running, "Admitted", "Admitted", ""},
		{"workload whose pods start", workload + "status: {conditions: [{type: Admitted, status: 'True'}, {type: PodsReady, status: 'False', reason: WaitForStart}]}", state.Starting, "Admitted", "WaitForStart", ""},
		{"workload whose pods are ready", workload + "status: {conditions: [{type: Admitted, status: 'True'}, {type: PodsReady, status: 'True', reason: Started}]}", state.Running, "PodsReady", "Started", ""},
		{"workload that was preempted", workload + "status: {conditions: [{type: QuotaReserved, status: 'False'}, {type: Evicted, status: 'True', reason: Preempted, message: by b}]}", state.Queued, "Evicted", "Preempted", "by b"},
		{"workload that was switched off", workload + "spec: {active: false}\nstatus: {conditions: [{type: Evicted, status: 'True', reason: Deactivated}]}", state.Suspended, "Deactivated", "Deactivated", ""},
		{"workload that succeeded", workload + "status: {conditions: [{type: Admitted, status: 'True'}, {type: Finished, status: 'True', reason: Succeeded}]}", state.Succeeded, "Finished", "Succeeded", ""},
		{"workload of another version that failed", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nstatus: {conditions: [{type: Finished, status: 'True', reason: Failed, message: exit 1}]}", state.Failed, "Finished", "Failed", "exit 1"},

		{"volcano job without status", volcano, state.Submitted, "", "", ""},
		{"volcano job that waits", volcano + "status: {state: {phase: Pending, reason: NotEnoughResources}}", state.Queued, "Pending", "NotEnoughResources", ""},
		{"volcano job that is tried again", volcano + "status: {state: {phase: Restarting}}", state.Restarting, "Restarting", "", ""},
		{"volcano job that cleans up", volcano + "status: {state: {phase: Completing}}", state.Running, "Completing", "", ""},
		{"volcano job that succeeded", volcano + "status: {state: {phase: Completed}}", state.Succeeded, "Completed", "", ""},
		{"volcano job that failed", volcano + "status: {state: {phase: Failed, message: too often}}", state.Failed, "Failed", "", "too often"},
		{"volcano job that was ended", volcano + "status: {state: {phase: Terminated}}", state.Aborted, "Terminated", "", ""},
		{"volcano job in a phase of tomorrow", volcano + "status: {state: {phase: Dreaming}}", "", "Dreaming", "", ""},

		{"pytorch job without status", torch, state.Submitted, "", "", ""},
		{"pytorch job that was created", torch + "status: {conditions: [{type: Created, status: 'True', reason: PyTorchJobCreated}]}", state.Submitted, "Created", "PyTorchJobCreated", ""},
		{"pytorch job that runs", torch + "status: {conditions: [{type: Created, status: 'True'}, {type: Running, status: 'True', reason: PyTorchJobRunning}]}", state.Running, "Running", "PyTorchJobRunning", ""},
		{"pytorch job that is tried again", torch + "status: {conditions: [{type: Running, status: 'False'}, {type: Restarting, status: 'True'}]}", state.Restarting, "Restarting", "", ""},
		{"pytorch job in a queue", torch + "metadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nstatus: {conditions: [{type: Suspended, status: 'True'}]}", state.Queued, "Suspended", "", ""},
		{"pytorch job that failed", torch + "status: {conditions: [{type: Running, status: 'False'}, {type: Failed, status: 'True', message: exit 137}]}", state.Failed, "Failed", "", "exit 137"},

		{"trainjob without status", train, state.Submitted, "", "", ""},
		{"trainjob on hold", train + "status: {conditions: [{type: Suspended, status: 'True', reason: Suspended}]}", state.Suspended, "Suspended", "Suspended", ""},
		{"trainjob that starts", train + "status: {conditions: [{type: Suspended, status: 'False'}], jobsStatus: [{name: node, active: 1, ready: 0}]}", state.Starting, "", "", ""},
		{"trainjob that runs", train + "status: {jobsStatus: [{name: data, succeeded: 1}, {name: node, active: 1, ready: 1}]}", state.Running, "", "", ""},
		{"trainjob that succeeded", train + "status: {conditions: [{type: Complete, status: 'True', reason: JobsCompleted}]}", state.Succeeded, "Complete", "JobsCompleted", ""},
		{"trainjob that was too slow", train + "status: {conditions: [{type: Failed, status: 'True', reason: DeadlineExceeded}]}", state.Failed, "Failed", "DeadlineExceeded", ""},

		{"jobset without status", jobset, state.Submitted, "", "", ""},
		{"jobset that starts in order", jobset + "status: {conditions: [{type: StartupPolicyInProgress, status: 'True'}], replicatedJobsStatus: [{ready: 1}]}", state.Starting, "StartupPolicyInProgress", "", ""},
		{"jobset that runs", jobset + "status: {restarts: 1, replicatedJobsStatus: [{ready: 1, active: 2}]}", state.Running, "", "", ""},
		{"jobset that is tried again", jobset + "status: {restarts: 1, replicatedJobsStatus: [{active: 2}]}", state.Restarting, "", "Restarted", ""},
		{"jobset that succeeded", jobset + "status: {terminalState: Completed, conditions: [{type: Completed, status: 'True'}]}", state.Succeeded, "Completed", "", ""},

		{"rayjob without status", ray, state.Submitted, "", "", ""},
		{"rayjob whose cluster starts", ray + "status: {jobDeploymentStatus: Initializing}", state.Starting, "Initializing", "", ""},
		{"rayjob that runs", ray + "status: {jobDeploymentStatus: Running, jobStatus: RUNNING}", state.Running, "RUNNING", "", ""},
		{"rayjob that is about to end", ray + "status: {jobDeploymentStatus: Running, jobStatus: FAILED}", state.Running, "FAILED", "", ""},
		{"rayjob that is tried again", ray + "status: {jobDeploymentStatus: Retrying}", state.Restarting, "Retrying", "", ""},
		{"rayjob that was stopped", ray + "status: {jobDeploymentStatus: Complete, jobStatus: STOPPED}", state.Aborted, "STOPPED", "", ""},
		{"rayjob that succeeded", ray + "status: {jobDeploymentStatus: Complete, jobStatus: SUCCEEDED, message: done}", state.Succeeded, "SUCCEEDED", "", "done"},
		{"rayjob that failed", ray + "status: {jobDeploymentStatus: Failed, jobStatus: FAILED, reason: AppFailed}", state.Failed, "Failed", "AppFailed", ""},
		{"rayjob on hold", ray + "status: {jobDeploymentStatus: Suspended}", state.Suspended, "Suspended", "", ""},

		{"workflow without status", argo, state.Submitted, "", "", ""},
		{"workflow that waits", argo + "status: {phase: Pending, message: too many}", state.Queued, "Pending", "", "too many"},
		{"workflow on hold", argo + "spec: {suspend: true}\nstatus: {phase: Running}", state.Suspended, "Running", "", ""},
		{"workflow with an error", argo + "status: {phase: Error, message: no image}", state.Failed, "Error", "", "no image"},
		{"workflow that was stopped", argo + "spec: {shutdown: Terminate}\nstatus: {phase: Failed}", state.Aborted, "Failed", "Terminate", ""},

		{"a job of somebody else's group", "apiVersion: example.com/v1\nkind: Job\nstatus: {phase: Running}", state.Running, "Running", "", ""},
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
			got := state.Of(lighten(parse(t, c.object)))
			got.At = time.Time{} // TestAt looks at it
			want := state.Status{State: c.want, Raw: c.raw, Reason: c.reason, Message: c.m}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// lighten takes out what Of promises not to look at.
func lighten(object map[string]any) map[string]any {
	if spec, ok := object["spec"].(map[string]any); ok {
		maps.DeleteFunc(spec, func(_ string, v any) bool {
			kind := reflect.ValueOf(v).Kind()
			return kind == reflect.Map || kind == reflect.Slice
		})
	}
	return object
}

func ExampleOf() {
	job := map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"status": map[string]any{"startTime": "2026-01-01T00:00:00Z", "active": int64(2), "ready": int64(2)},
	}
	fmt.Println(state.Of(job))
	// Output: Running
}

// TestHeldJob: a job that its submitter holds waits for no quota, also where Kueue gives each job
// a queue.
func TestHeldJob(t *testing.T) {
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {labels: {kueue.x-k8s.io/queue-name: vedette-held, vedette.io/held: 'true'}}\n" +
		"status: {conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]}"
	if s := state.Of(lighten(parse(t, job))); s.State != state.Suspended || s.Reason != "JobSuspended" {
		t.Errorf("got %+v, want Suspended with reason JobSuspended", s)
	}
}
