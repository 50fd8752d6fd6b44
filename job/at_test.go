package job_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
)

// TestAt: the time of a state comes from the field that the type's controller writes when
// the state begins. Minutes distinguish the fields.
func TestAt(t *testing.T) {
	at := func(minute string) string { return "'2026-03-01T09:" + minute + ":00Z'" }
	meta := "metadata: {creationTimestamp: " + at("01") + "}\n"
	pod := "apiVersion: v1\nkind: Pod\n" + meta
	j := "apiVersion: batch/v1\nkind: Job\n" + meta
	deployment := "apiVersion: apps/v1\nkind: Deployment\n" + meta
	workload := "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Workload\n" + meta
	volcano := "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n" + meta
	torch := "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n" + meta
	train := "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n" + meta
	jobset := "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n" + meta
	ray := "apiVersion: ray.io/v1\nkind: RayJob\n" + meta
	argo := "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n" + meta
	condition := func(kind, status, reason, minute string) string {
		return "{type: " + kind + ", status: '" + status + "', reason: " + reason + ", lastTransitionTime: " + at(minute) + "}"
	}
	conditions := func(all ...string) string {
		var text strings.Builder
		text.WriteString("conditions: [")
		for _, c := range all {
			text.WriteString(c + ", ")
		}
		return text.String() + "]"
	}
	scheduled := condition("PodScheduled", "True", "X", "02")
	progress := func(status, reason, since, updated string) string {
		return "{type: Progressing, status: '" + status + "', reason: " + reason + ", lastTransitionTime: " + at(since) + ", lastUpdateTime: " + at(updated) + "}"
	}
	for _, c := range []struct {
		name, object string
		state        string
		minute       int // 0: no time
	}{
		{"pod without status", pod, "Submitted", 1},
		{"pod that waits for a node", pod + "status: {phase: Pending, " + conditions(condition("PodScheduled", "False", "Unschedulable", "02")) + "}", "Queued", 1},
		{"pod whose containers start", pod + "spec: {nodeName: node-1}\nstatus: {phase: Pending, startTime: " + at("03") + ", " + conditions(scheduled) + "}", "Starting", 2},
		{"pod that runs", pod + "spec: {nodeName: node-1}\nstatus: {phase: Running, " + conditions(scheduled) + ", initContainerStatuses: [{state: {terminated: {finishedAt: " + at("03") +
			"}}}], containerStatuses: [{state: {running: {startedAt: " + at("05") + "}}}, {state: {running: {startedAt: " + at("04") + "}}}]}", "Running", 5},
		{"pod that crashes", pod + "status: {phase: Running, containerStatuses: [{state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {finishedAt: " + at("07") +
			"}}}, {state: {running: {startedAt: " + at("09") + "}}, lastState: {terminated: {finishedAt: " + at("08") + "}}}]}", "Restarting", 7},
		{"pod that failed", pod + "status: {phase: Failed, containerStatuses: [{state: {terminated: {exitCode: 1, startedAt: " + at("02") + ", finishedAt: " + at("06") +
			"}}}, {state: {terminated: {exitCode: 0, finishedAt: " + at("08") + "}}}]}", "Failed", 8},
		{"pod whose preparation failed", pod + "status: {phase: Failed, initContainerStatuses: [{state: {terminated: {exitCode: 1, finishedAt: " + at("06") + "}}}], containerStatuses: [{state: {waiting: {reason: PodInitializing}}}]}", "Failed", 6},
		{"pod that was evicted", pod + "status: {phase: Failed, reason: Evicted}", "Failed", 0},
		{"pod that is being deleted", "apiVersion: v1\nkind: Pod\nmetadata: {creationTimestamp: " + at("01") + ", deletionTimestamp: " + at("10") + ", deletionGracePeriodSeconds: 120}\nstatus: {phase: Running}", "Aborted", 8},
		{"pod that is deleted without grace period", "apiVersion: v1\nkind: Pod\nmetadata: {deletionTimestamp: " + at("10") + ", deletionGracePeriodSeconds: 0}\nstatus: {phase: Pending}", "Aborted", 10},

		{"job without status", j, "Submitted", 1},
		{"job on hold", j + "status: {" + conditions(condition("Suspended", "True", "JobSuspended", "02")) + "}", "Suspended", 2},
		{"job that was resumed and runs", j + "status: {startTime: " + at("03") + ", active: 1, " + conditions(condition("Suspended", "False", "JobResumed", "04")) + "}", "Starting", 3},
		{"job that was resumed", j + "status: {" + conditions(condition("Suspended", "False", "JobResumed", "04")) + "}", "Submitted", 4},
		{"job that runs", j + "status: {startTime: " + at("03") + ", active: 1, ready: 1}", "Running", 0},
		{"job that is retried", j + "status: {startTime: " + at("03") + ", active: 1, failed: 1}", "Restarting", 0},
		{"job that is about to succeed", j + "status: {startTime: " + at("03") + ", " + conditions(condition("SuccessCriteriaMet", "True", "X", "05")) + "}", "Running", 5},
		{"job that succeeded", j + "status: {completionTime: " + at("06") + ", " + conditions(condition("SuccessCriteriaMet", "True", "X", "05"), condition("Complete", "True", "X", "07")) + "}", "Succeeded", 7},
		{"job that succeeded, without the time of its condition", j + "status: {completionTime: " + at("06") + ", conditions: [{type: Complete, status: 'True'}]}", "Succeeded", 6},
		{"job that failed", j + "status: {" + conditions(condition("FailureTarget", "True", "X", "05"), condition("Failed", "True", "X", "07")) + "}", "Failed", 7},

		{"deployment without status", deployment, "Submitted", 1},
		{"deployment that was changed", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {generation: 2, creationTimestamp: " + at("01") + "}\nstatus: {observedGeneration: 1, " + conditions(progress("True", "NewReplicaSetAvailable", "02", "03")) + "}", "Submitted", 0},
		{"deployment that is rolled out", deployment + "status: {" + conditions(progress("True", "ReplicaSetUpdated", "02", "05")) + "}", "Starting", 5},
		{"deployment that lacks pods again", deployment + "status: {" + conditions(progress("True", "NewReplicaSetAvailable", "02", "05")) + "}", "Starting", 0},
		{"deployment that is stuck", deployment + "status: {" + conditions(progress("False", "ProgressDeadlineExceeded", "06", "06")) + "}", "Starting", 6},
		{"deployment after its second roll-out", deployment + "status: {replicas: 1, updatedReplicas: 1, availableReplicas: 1, " + conditions(condition("Available", "True", "X", "03"), progress("True", "NewReplicaSetAvailable", "02", "08")) + "}", "Running", 8},
		{"deployment that is available again", deployment + "status: {replicas: 1, updatedReplicas: 1, availableReplicas: 1, " + conditions(condition("Available", "True", "X", "09"), progress("True", "NewReplicaSetAvailable", "02", "08")) + "}", "Running", 9},

		{"workload without status", workload, "Submitted", 1},
		{"workload that waits for quota", workload + "status: {" + conditions(condition("QuotaReserved", "False", "Pending", "02")) + "}", "Queued", 2},
		{"workload that was admitted", workload + "status: {" + conditions(condition("QuotaReserved", "True", "X", "03"), condition("Admitted", "True", "X", "04")) + "}", "Running", 4},
		{"workload whose pods start, after it was evicted", workload + "status: {" + conditions(condition("Admitted", "True", "X", "06"), condition("PodsReady", "False", "X", "05")) + "}", "Starting", 6},
		{"workload whose pods were lost", workload + "status: {" + conditions(condition("Admitted", "True", "X", "06"), condition("PodsReady", "False", "X", "08")) + "}", "Starting", 8},
		{"workload that was preempted", workload + "status: {" + conditions(condition("QuotaReserved", "False", "X", "03"), condition("Evicted", "True", "Preempted", "07")) + "}", "Queued", 7},
		{"workload that was switched off before it began", workload + "spec: {active: false}\nstatus: {" + conditions(condition("Evicted", "False", "X", "02")) + "}", "Suspended", 0},
		{"workload that succeeded", workload + "status: {" + conditions(condition("Finished", "True", "Succeeded", "09")) + "}", "Succeeded", 9},

		{"volcano job without status", volcano, "Submitted", 1},
		{"volcano job that runs", volcano + "status: {state: {phase: Running, lastTransitionTime: " + at("04") + "}}", "Running", 4},
		{"pytorch job without status", torch, "Submitted", 1},
		{"pytorch job that runs", torch + "status: {startTime: " + at("02") + ", " + conditions(condition("Created", "True", "X", "02"), condition("Running", "True", "X", "04")) + "}", "Running", 4},
		{"trainjob without status", train, "Submitted", 1},
		{"trainjob that was resumed", train + "status: {" + conditions(condition("Suspended", "False", "Resumed", "03")) + "}", "Submitted", 3},
		{"trainjob that runs", train + "status: {" + conditions(condition("Suspended", "False", "Resumed", "03")) + ", jobsStatus: [{ready: 1}]}", "Running", 0},
		{"jobset that is retried", jobset + "status: {restarts: 1, replicatedJobsStatus: []}", "Restarting", 0},
		{"jobset that succeeded", jobset + "status: {" + conditions(condition("Completed", "True", "X", "07")) + "}", "Succeeded", 7},
		{"rayjob without status", ray, "Submitted", 1},
		{"rayjob whose cluster starts", ray + "status: {jobDeploymentStatus: Initializing, startTime: " + at("02") + "}", "Starting", 2},
		{"rayjob that runs", ray + "status: {jobDeploymentStatus: Running, jobStatus: RUNNING, startTime: " + at("02") + "}", "Running", 0},
		{"rayjob that succeeded", ray + "status: {jobDeploymentStatus: Complete, jobStatus: SUCCEEDED, startTime: " + at("02") + ", endTime: " + at("08") + "}", "Succeeded", 8},
		{"workflow that waits", argo + "status: {phase: Pending}", "Queued", 1},
		{"workflow that runs", argo + "status: {phase: Running, startedAt: " + at("03") + ", finishedAt: null}", "Running", 3},
		{"workflow on hold", argo + "spec: {suspend: true}\nstatus: {phase: Running, startedAt: " + at("03") + "}", "Suspended", 0},
		{"workflow that was stopped", argo + "spec: {shutdown: Stop}\nstatus: {phase: Failed, startedAt: " + at("03") + ", finishedAt: " + at("08") + "}", "Aborted", 8},

		{"workflow at a suspend node", argo + "status: {phase: Running, nodes: {a: {type: Suspend, phase: Running, startedAt: " + at("05") + "}}}", "Suspended", 5},
		{"workflow whose first pod waits", argo + "status: {phase: Running, startedAt: " + at("03") + ", nodes: {a: {type: Pod, phase: Pending}}}", "Starting", 0},
		{"spark application without status", "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\n" + meta, "Submitted", 1},
		{"spark application that ended", "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nstatus: {applicationState: {state: COMPLETED}, terminationTime: " + at("08") + "}", "Succeeded", 8},
		{"ray cluster that is ready", "apiVersion: ray.io/v1\nkind: RayCluster\nstatus: {state: ready, stateTransitionTimes: {ready: " + at("04") + "}}", "Running", 4},
		{"pod whose node is lost", pod + "status: {phase: Unknown, reason: NodeLost}", "Running", 0},
		{"pod that has crashed", pod + "status: {phase: Running, containerStatuses: [{state: {terminated: {exitCode: 1, finishedAt: " + at("06") + "}}}]}", "Restarting", 6},
		{"node that is ready", "apiVersion: v1\nkind: Node\n" + meta + "status: {" + conditions(condition("Ready", "True", "KubeletReady", "03")) + "}", "Ready", 3},
		{"phase with a condition of its name", "kind: X\nstatus: {phase: Running, " + conditions(condition("Running", "True", "X", "04")) + "}", "Running", 4},
		{"phase whose condition is over", "kind: X\nstatus: {phase: Running, " + conditions(condition("Running", "False", "X", "04")) + "}", "Running", 0},
		{"an invalid time", "kind: X\nstatus: {conditions: [{type: Running, status: 'True', lastTransitionTime: yesterday}]}", "Running", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := time.Time{}
			if c.minute > 0 {
				want = time.Date(2026, 3, 1, 9, c.minute, 0, 0, time.UTC)
			}
			if got := job.ReadStatus(parse(t, c.object)); got.At != want || got.String() != c.state {
				t.Errorf("got %v at %v, want %s at %v", got, got.At, c.state, want)
			}
		})
	}
}
