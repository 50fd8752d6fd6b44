package job_test

import (
	"fmt"
	"maps"
	"reflect"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/job"
)

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("not YAML: %v in:\n%s", err, text)
	}
	return object
}

func TestReadStatus(t *testing.T) {
	pod := "apiVersion: v1\nkind: Pod\n"
	j := "apiVersion: batch/v1\nkind: Job\n"
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
		want           job.State
		raw, reason, m string
	}{
		{"pod without status", pod, job.Submitted, "", "", ""},
		{"pod that waits for a node", pod + "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no gpu}]}", job.Queued, "Pending", "Unschedulable", "no gpu"},
		{"pod that is set up", pod + "spec: {nodeName: node-1}\nstatus: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}", job.Starting, "Pending", "ImagePullBackOff", "no such image"},
		{"pod that runs", pod + "status: {phase: Running, containerStatuses: [{state: {running: {}}}]}", job.Running, "Running", "", ""},
		{"pod that crashes", pod + "status: {phase: Running, containerStatuses: [{state: {waiting: {reason: CrashLoopBackOff}}}]}", job.Restarting, "Running", "CrashLoopBackOff", ""},
		{"pod that failed", pod + "status: {phase: Failed, containerStatuses: [{state: {terminated: {exitCode: 137, reason: OOMKilled}}}]}", job.Failed, "Failed", "OOMKilled", "exit code 137"},
		{"pod that was evicted", pod + "status: {phase: Failed, reason: Evicted, message: disk}", job.Failed, "Failed", "Evicted", "disk"},
		{"pod that succeeded", pod + "status: {phase: Succeeded}", job.Succeeded, "Succeeded", "", ""},
		{"pod that is deleted while it runs", pod + "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {phase: Running}", job.Aborted, "Terminating", "", ""},
		{"pod that is deleted after its end", pod + "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {phase: Succeeded}", job.Succeeded, "Succeeded", "", ""},
		{"job without status", j, job.Submitted, "", "", ""},
		{"job in a queue", j + "metadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nstatus: {conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]}", job.Queued, "Suspended", "JobSuspended", ""},
		{"job on hold", j + "status: {conditions: [{type: Suspended, status: 'True'}]}", job.Suspended, "Suspended", "", ""},
		{"job that was resumed", j + "status: {startTime: now, active: 1, conditions: [{type: Suspended, status: 'False'}]}", job.Starting, "", "", ""},
		{"job that runs", j + "status: {startTime: now, active: 1, ready: 1}", job.Running, "", "", ""},
		{"job that is retried", j + "status: {startTime: now, active: 1, ready: 0, failed: 1}", job.Restarting, "", "PodFailed", ""},
		{"job that is about to succeed", j + "status: {startTime: now, conditions: [{type: SuccessCriteriaMet, status: 'True', reason: CompletionsReached}]}", job.Running, "SuccessCriteriaMet", "CompletionsReached", ""},
		{"job whose pods are done", j + "status: {startTime: now, active: 0, ready: 0, succeeded: 1}", job.Running, "", "", ""},
		{"job that succeeded", j + "status: {succeeded: 1, failed: 2, conditions: [{type: Complete, status: 'True'}]}", job.Succeeded, "Complete", "", ""},
		{"job that failed", j + "status: {failed: 4, conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded, message: too often}]}", job.Failed, "Failed", "BackoffLimitExceeded", "too often"},
		{"deployment that nobody has seen", deployment + "metadata: {generation: 2}\nstatus: {observedGeneration: 1, conditions: [{type: Available, status: 'True'}]}", job.Submitted, "", "", ""},
		{"deployment that is rolled out", deployment + "spec: {replicas: 2}\nstatus: {replicas: 3, updatedReplicas: 2, availableReplicas: 2, conditions: [{type: Progressing, status: 'True', reason: ReplicaSetUpdated}]}", job.Starting, "Progressing", "ReplicaSetUpdated", ""},
		{"deployment as it was asked for", deployment + "spec: {replicas: 2}\nstatus: {replicas: 2, updatedReplicas: 2, availableReplicas: 2, conditions: [{type: Available, status: 'True', reason: MinimumReplicasAvailable}]}", job.Running, "Available", "MinimumReplicasAvailable", ""},
		{"deployment of one, by default", deployment + "status: {conditions: [{type: Progressing, status: 'True', reason: NewReplicaSetCreated}]}", job.Starting, "Progressing", "NewReplicaSetCreated", ""},
		{"deployment that is stuck", deployment + "status: {conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: late}]}", job.Starting, "Stalled", "ProgressDeadlineExceeded", "late"},
		{"deployment without quota", deployment + "status: {conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate}]}", job.Starting, "ReplicaFailure", "FailedCreate", ""},
		{"deployment on hold", deployment + "spec: {paused: true}\nstatus: {conditions: [{type: Progressing, status: Unknown, reason: DeploymentPaused}]}", job.Suspended, "Progressing", "DeploymentPaused", ""},

		{"workload without status", workload, job.Submitted, "", "", ""},
		{"workload that waits for quota", workload + "status: {conditions: [{type: QuotaReserved, status: 'False', reason: Pending, message: no gpu}]}", job.Queued, "", "Pending", "no gpu"},
		{"workload that waits for checks", workload + "status: {conditions: [{type: QuotaReserved, status: 'True', reason: QuotaReserved}]}", job.Queued, "QuotaReserved", "QuotaReserved", ""},
		{"workload that was admitted", workload + "status: {conditions: [{type: QuotaReserved, status: 'True'}, {type: Admitted, status: 'True', reason: Admitted}]}", job.Running, "Admitted", "Admitted", ""},
		{"workload whose pods start", workload + "status: {conditions: [{type: Admitted, status: 'True'}, {type: PodsReady, status: 'False', reason: WaitForStart}]}", job.Starting, "Admitted", "WaitForStart", ""},
		{"workload whose pods are ready", workload + "status: {conditions: [{type: Admitted, status: 'True'}, {type: PodsReady, status: 'True', reason: Started}]}", job.Running, "PodsReady", "Started", ""},
		{"workload that was preempted", workload + "status: {conditions: [{type: QuotaReserved, status: 'False'}, {type: Evicted, status: 'True', reason: Preempted, message: by b}]}", job.Queued, "Evicted", "Preempted", "by b"},
		{"workload that was switched off", workload + "spec: {active: false}\nstatus: {conditions: [{type: Evicted, status: 'True', reason: Deactivated}]}", job.Suspended, "Deactivated", "Deactivated", ""},
		{"workload that succeeded", workload + "status: {conditions: [{type: Admitted, status: 'True'}, {type: Finished, status: 'True', reason: Succeeded}]}", job.Succeeded, "Finished", "Succeeded", ""},
		{"workload of another version that failed", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nstatus: {conditions: [{type: Finished, status: 'True', reason: Failed, message: exit 1}]}", job.Failed, "Finished", "Failed", "exit 1"},

		{"volcano job without status", volcano, job.Submitted, "", "", ""},
		{"volcano job that waits", volcano + "status: {state: {phase: Pending, reason: NotEnoughResources}}", job.Queued, "Pending", "NotEnoughResources", ""},
		{"volcano job that is tried again", volcano + "status: {state: {phase: Restarting}}", job.Restarting, "Restarting", "", ""},
		{"volcano job that cleans up", volcano + "status: {state: {phase: Completing}}", job.Running, "Completing", "", ""},
		{"volcano job that succeeded", volcano + "status: {state: {phase: Completed}}", job.Succeeded, "Completed", "", ""},
		{"volcano job that failed", volcano + "status: {state: {phase: Failed, message: too often}}", job.Failed, "Failed", "", "too often"},
		{"volcano job that a policy ended", volcano + "status: {state: {phase: Terminated}}", job.Failed, "Terminated", "", ""},
		{"volcano job in a phase of tomorrow", volcano + "status: {state: {phase: Dreaming}}", "", "Dreaming", "", ""},

		{"pytorch job without status", torch, job.Submitted, "", "", ""},
		{"pytorch job that was created", torch + "status: {conditions: [{type: Created, status: 'True', reason: PyTorchJobCreated}]}", job.Submitted, "Created", "PyTorchJobCreated", ""},
		{"pytorch job that runs", torch + "status: {conditions: [{type: Created, status: 'True'}, {type: Running, status: 'True', reason: PyTorchJobRunning}]}", job.Running, "Running", "PyTorchJobRunning", ""},
		{"pytorch job that is tried again", torch + "status: {conditions: [{type: Running, status: 'False'}, {type: Restarting, status: 'True'}]}", job.Restarting, "Restarting", "", ""},
		{"pytorch job in a queue", torch + "metadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nstatus: {conditions: [{type: Suspended, status: 'True'}]}", job.Queued, "Suspended", "", ""},
		{"pytorch job that failed", torch + "status: {conditions: [{type: Running, status: 'False'}, {type: Failed, status: 'True', message: exit 137}]}", job.Failed, "Failed", "", "exit 137"},

		{"trainjob without status", train, job.Submitted, "", "", ""},
		{"trainjob on hold", train + "status: {conditions: [{type: Suspended, status: 'True', reason: Suspended}]}", job.Suspended, "Suspended", "Suspended", ""},
		{"trainjob that starts", train + "status: {conditions: [{type: Suspended, status: 'False'}], jobsStatus: [{name: node, active: 1, ready: 0}]}", job.Starting, "", "", ""},
		{"trainjob that runs", train + "status: {jobsStatus: [{name: data, succeeded: 1}, {name: node, active: 1, ready: 1}]}", job.Running, "", "", ""},
		{"trainjob that succeeded", train + "status: {conditions: [{type: Complete, status: 'True', reason: JobsCompleted}]}", job.Succeeded, "Complete", "JobsCompleted", ""},
		{"trainjob that was too slow", train + "status: {conditions: [{type: Failed, status: 'True', reason: DeadlineExceeded}]}", job.Failed, "Failed", "DeadlineExceeded", ""},

		{"jobset without status", jobset, job.Submitted, "", "", ""},
		{"jobset that starts in order", jobset + "status: {conditions: [{type: StartupPolicyInProgress, status: 'True'}], replicatedJobsStatus: [{ready: 1}]}", job.Starting, "StartupPolicyInProgress", "", ""},
		{"jobset that runs", jobset + "status: {restarts: 1, replicatedJobsStatus: [{ready: 1, active: 2}]}", job.Running, "", "", ""},
		{"jobset that is tried again", jobset + "status: {restarts: 1, replicatedJobsStatus: [{active: 2}]}", job.Restarting, "", "Restarted", ""},
		{"jobset that succeeded", jobset + "status: {terminalState: Completed, conditions: [{type: Completed, status: 'True'}]}", job.Succeeded, "Completed", "", ""},

		{"rayjob without status", ray, job.Submitted, "", "", ""},
		{"rayjob whose cluster starts", ray + "status: {jobDeploymentStatus: Initializing}", job.Starting, "Initializing", "", ""},
		{"rayjob that runs", ray + "status: {jobDeploymentStatus: Running, jobStatus: RUNNING}", job.Running, "RUNNING", "", ""},
		{"rayjob that is about to end", ray + "status: {jobDeploymentStatus: Running, jobStatus: FAILED}", job.Running, "FAILED", "", ""},
		{"rayjob that is tried again", ray + "status: {jobDeploymentStatus: Retrying}", job.Restarting, "Retrying", "", ""},
		{"rayjob that was stopped", ray + "status: {jobDeploymentStatus: Complete, jobStatus: STOPPED}", job.Aborted, "STOPPED", "", ""},
		{"rayjob that succeeded", ray + "status: {jobDeploymentStatus: Complete, jobStatus: SUCCEEDED, message: done}", job.Succeeded, "SUCCEEDED", "", "done"},
		{"rayjob that failed", ray + "status: {jobDeploymentStatus: Failed, jobStatus: FAILED, reason: AppFailed}", job.Failed, "Failed", "AppFailed", ""},
		{"rayjob on hold", ray + "status: {jobDeploymentStatus: Suspended}", job.Suspended, "Suspended", "", ""},

		{"workflow without status", argo, job.Submitted, "", "", ""},
		{"workflow that waits", argo + "status: {phase: Pending, message: too many}", job.Queued, "Pending", "", "too many"},
		{"workflow on hold", argo + "spec: {suspend: true}\nstatus: {phase: Running}", job.Suspended, "Running", "", ""},
		{"workflow with an error", argo + "status: {phase: Error, message: no image}", job.Failed, "Error", "", "no image"},
		{"workflow that was stopped", argo + "spec: {shutdown: Terminate}\nstatus: {phase: Failed}", job.Aborted, "Failed", "Terminate", ""},

		{"a job of somebody else's group", "apiVersion: example.com/v1\nkind: Job\nstatus: {phase: Running}", job.Running, "Running", "", ""},
		{"kind without a rule, with a phase", "kind: X\nstatus: {phase: Running}", job.Running, "Running", "", ""},
		{"kind without a rule, with a phase of its own", "kind: X\nstatus: {phase: Bound}", "", "Bound", "", ""},
		{"kind without a rule, with conditions", "kind: X\nstatus: {conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Succeeded, status: 'True', reason: Done}]}", job.Succeeded, "Succeeded", "Done", ""},
		{"node that is well", "apiVersion: v1\nkind: Node\nstatus: {phase: Running, conditions: [{type: Ready, status: 'True', reason: KubeletReady}]}", "", "Ready", "KubeletReady", ""},
		{"node that is not", "apiVersion: v1\nkind: Node\nstatus: {conditions: [{type: Ready, status: 'False'}]}", "", "NotReady", "", ""},
		{"node nobody knows of", "apiVersion: v1\nkind: Node\nstatus: {conditions: [{type: Ready, status: Unknown}]}", "", "", "", ""},
		{"fields of other types than expected", pod + "status: [1, 2]\nspec: x", job.Submitted, "", "", ""},
		{"nothing at all", "{}", "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := job.ReadStatus(lighten(parse(t, c.object)))
			got.At = time.Time{} // TestAt looks at it
			want := job.Status{State: c.want, Raw: c.raw, Reason: c.reason, Message: c.m}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// lighten takes out what ReadStatus promises not to look at.
func lighten(object map[string]any) map[string]any {
	if spec, ok := object["spec"].(map[string]any); ok {
		composite := func(_ string, v any) bool {
			kind := reflect.ValueOf(v).Kind()
			return kind == reflect.Map || kind == reflect.Slice
		}
		policy, there := spec["runPolicy"].(map[string]any)
		maps.DeleteFunc(spec, composite)
		if there {
			maps.DeleteFunc(policy, composite)
			spec["runPolicy"] = policy
		}
	}
	return object
}

func ExampleReadStatus() {
	j := map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"status": map[string]any{"startTime": "2026-01-01T00:00:00Z", "active": int64(2), "ready": int64(2)},
	}
	fmt.Println(job.ReadStatus(j))
	// Output: Running
}

// TestHeldJob: a job that its submitter holds waits for no quota, also where Kueue gives each job
// a queue.
func TestHeldJob(t *testing.T) {
	j := "apiVersion: batch/v1\nkind: Job\nmetadata: {labels: {kueue.x-k8s.io/queue-name: vedette-held, vedette.io/held: 'true'}}\n" +
		"status: {conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]}"
	if s := job.ReadStatus(lighten(parse(t, j))); s.State != job.Suspended || s.Reason != "JobSuspended" {
		t.Errorf("got %+v, want Suspended with reason JobSuspended", s)
	}
}
