package job_test

import "strings"

// operatorLives are lives of objects of operators outside of Kubernetes. Their sources are
// files of the operators' modules, or their tests.
var operatorLives = []life{
	{"TrainJob with initializers", "kubeflow/sdk#52; kubeflow/trainer pkg/constants/constants.go, manifests/base/runtimes/torchtune", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n", []write{
		{"", "Submitted"},
		{jobs("jobsStatus", replicas("dataset-initializer", "active: 1"), replicas("node", "")), "Starting"},
		{jobs("jobsStatus", replicas("dataset-initializer", "active: 1, ready: 1"), replicas("node", "")), "Starting"},
		{jobs("jobsStatus", replicas("dataset-initializer", "succeeded: 1"), replicas("node", "")), "Starting"},
		{jobs("jobsStatus", replicas("dataset-initializer", "succeeded: 1"), replicas("node", "active: 1")), "Starting"},
		{jobs("jobsStatus", replicas("dataset-initializer", "succeeded: 1"), replicas("node", "active: 1, ready: 1")), "Running"},
		{jobs("jobsStatus", replicas("dataset-initializer", "succeeded: 1"), replicas("node", "succeeded: 1")), "Running"},
		{"conditions: [{type: Complete, status: 'True', reason: JobsCompleted}]", "Succeeded: JobsCompleted"},
	}},
	{"TrainJob whose initializer fails", "kubeflow/trainer: jobsStatus is a copy of replicatedJobsStatus", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n", []write{
		{jobs("jobsStatus", replicas("dataset-initializer", "failed: 1"), replicas("node", "")), "Restarting"},
	}},
	{"JobSet whose second job waits", "issue 43, A.5; kubernetes-sigs/jobset pkg/controllers/jobset_controller.go, calculateReplicatedJobStatuses", jobSet, []write{
		{jobs("replicatedJobsStatus", replicas("first", "active: 1, ready: 1"), replicas("second", "")), "Running"},
		{jobs("replicatedJobsStatus", replicas("first", "succeeded: 1"), replicas("second", "active: 1")), "Starting"},
		{jobs("replicatedJobsStatus", replicas("first", "succeeded: 1"), replicas("second", "active: 1, ready: 1")), "Running"},
		{jobs("replicatedJobsStatus", replicas("first", "succeeded: 1"), replicas("second", "succeeded: 1")), "Running"},
	}},
	{"JobSet that restarts", "kubernetes-sigs/jobset#1219; pkg/controllers/failure_policy.go, messageWithFirstFailedJob", jobSet, []write{
		{jobs("replicatedJobsStatus", replicas("driver", "active: 1, ready: 1"), replicas("node", "active: 1, ready: 1")), "Running"},
		{"restarts: 1, " + restartingSet("True", "FailurePolicy_Rule1") + jobs("replicatedJobsStatus", replicas("node", "failed: 1")), "Restarting: FailurePolicy_Rule1"},
		{"restarts: 1, " + restartingSet("True", "FailurePolicy_Rule1") + jobs("replicatedJobsStatus", replicas("driver", "active: 1, ready: 1"), replicas("node", "active: 1")), "Restarting: FailurePolicy_Rule1"},
		{"restarts: 1, " + restartingSet("False", "JobsReady") + jobs("replicatedJobsStatus", replicas("driver", "active: 1, ready: 1"), replicas("node", "active: 1, ready: 1")), "Running"},
	}},
	{"JobSet of a version without RestartingJobSet", "kubernetes-sigs/jobset 0.8, status.restarts", jobSet, []write{
		{"restarts: 1, " + jobs("replicatedJobsStatus", replicas("node", "active: 1")), "Restarting: Restarted"},
		{"restarts: 1, " + jobs("replicatedJobsStatus", replicas("node", "active: 1, ready: 1")), "Running"},
	}},
	{"SparkApplication", "kubeflow/spark-operator api/v1beta2/sparkapplication_types.go:351", "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\n", []write{
		{"", "Submitted"},
		{"applicationState: {state: SUBMITTED}", "Starting"},
		{"applicationState: {state: RUNNING}", "Running"},
		{"applicationState: {state: FAILING}", "Running"},
		{"applicationState: {state: PENDING_RERUN}", "Restarting"},
		{"applicationState: {state: UNKNOWN}", "Running"},
		{"applicationState: {state: SUCCEEDING}", "Running"},
		{"applicationState: {state: COMPLETED}", "Succeeded"},
		{"applicationState: {state: FAILED, errorMessage: driver failed}", "Failed"},
		{"applicationState: {state: SUSPENDED}", "Suspended"},
		{"applicationState: {state: RESUMING}", "Starting"},
	}},
	{"Tekton PipelineRun", "tektoncd/pipeline pkg/apis/pipeline/v1/pipelinerun_types.go:350", "apiVersion: tekton.dev/v1\nkind: PipelineRun\n", []write{
		{"", "Submitted"},
		{tekton("Unknown", "PipelineRunPending"), "Suspended: PipelineRunPending"},
		{tekton("Unknown", "Started"), "Starting: Started"},
		{tekton("Unknown", "Running"), "Running: Running"},
		{tekton("Unknown", "CancelledRunningFinally"), "Running: CancelledRunningFinally"},
		{tekton("False", "Cancelled"), "Aborted: Cancelled"},
		{tekton("False", "PipelineRunTimeout"), "Failed: PipelineRunTimeout"},
		{tekton("False", "Failed"), "Failed: Failed"},
		{tekton("True", "Completed"), "Succeeded: Completed"},
	}},
	{"Tekton TaskRun", "tektoncd/pipeline pkg/apis/pipeline/v1/taskrun_types.go:197, pkg/pod/status.go:60", "apiVersion: tekton.dev/v1\nkind: TaskRun\n", []write{
		{tekton("Unknown", "ExceededNodeResources"), "Queued: ExceededNodeResources"},
		{tekton("Unknown", "Pending"), "Starting: Pending"},
		{tekton("Unknown", "Running"), "Running: Running"},
		{tekton("Unknown", "ToBeRetried"), "Restarting: ToBeRetried"},
		{tekton("False", "TaskRunCancelled"), "Aborted: TaskRunCancelled"},
		{tekton("False", "StepOOM"), "Failed: StepOOM"},
	}},
	{"LeaderWorkerSet", "kubernetes-sigs/lws pkg/controllers/leaderworkerset_controller.go, makeCondition", "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec: {replicas: 2}\n", []write{
		{"", "Submitted"},
		{"replicas: 2, conditions: [{type: Progressing, status: 'True', reason: GroupsProgressing}]", "Starting: GroupsProgressing"},
		{"replicas: 2, readyReplicas: 1, conditions: [{type: Progressing, status: 'True', reason: GroupsProgressing}]", "Starting: GroupsProgressing"},
		{"replicas: 2, readyReplicas: 2, conditions: [{type: Available, status: 'True', reason: AllGroupsReady}, {type: Progressing, status: 'False'}]", "Running: AllGroupsReady"},
		{"replicas: 2, readyReplicas: 1, conditions: [{type: Available, status: 'True', reason: AllGroupsReady}, {type: Progressing, status: 'False'}]", "Starting"},
	}},
	{"LeaderWorkerSet without a number of replicas", "shared cases, others.yaml: lws-progressing", "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n", []write{
		{"replicas: 2, readyReplicas: 1, conditions: [{type: Progressing, status: 'True', reason: GroupsProgressing}]", "Starting: GroupsProgressing"},
	}},
	{"AppWrapper", "project-codeflare/appwrapper api/v1beta2/appwrapper_types.go:156", "apiVersion: workload.codeflare.dev/v1beta2\nkind: AppWrapper\nmetadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\n", []write{
		{"", "Submitted"},
		{"phase: Suspended", "Queued"},
		{"phase: Resuming", "Starting"},
		{"phase: Running, conditions: [{type: PodsReady, status: 'False', reason: InsufficientPodsReady}]", "Starting: InsufficientPodsReady"},
		{"phase: Running, conditions: [{type: PodsReady, status: 'True', reason: SufficientPodsReady}]", "Running"},
		{"phase: Resetting, conditions: [{type: Unhealthy, status: 'True', reason: FoundFailedPods}]", "Restarting: FoundFailedPods"},
		{"phase: Failed", "Failed"},
		{"phase: Succeeded", "Succeeded"},
	}},
	{"RayCluster", "ray-project/kuberay ray-operator/apis/ray/v1/raycluster_types.go:560-664", "apiVersion: ray.io/v1\nkind: RayCluster\n", []write{
		{"desiredWorkerReplicas: 2, conditions: [{type: HeadPodReady, status: 'False', reason: HeadPodNotFound}]", "Starting: HeadPodNotFound"},
		{"state: ready, conditions: [{type: HeadPodReady, status: 'True', reason: HeadPodRunningAndReady}, {type: RayClusterProvisioned, status: 'True'}]", "Running"},
		{"state: ready, conditions: [{type: HeadPodReady, status: 'False', reason: ContainersNotReady}]", "Restarting: ContainersNotReady"},
		{"conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreateWorkerPod}]", "Starting: FailedCreateWorkerPod"},
		{"state: suspended, conditions: [{type: RayClusterSuspended, status: 'True'}]", "Suspended"},
	}},
	{"RayJob without a status of its job", "shared cases; ray-project/kuberay rayjob_types.go, JobStatusNew", "apiVersion: ray.io/v1\nkind: RayJob\n", []write{
		{"jobDeploymentStatus: Running", "Starting"},
		{"jobDeploymentStatus: Complete", "Succeeded"},
	}},
	{"RayJob whose head pod has no image", "ray-project/kuberay ray-operator/controllers/ray/utils/util.go:84, FindHeadPodReadyCondition", "apiVersion: ray.io/v1\nkind: RayJob\n", []write{
		{"jobDeploymentStatus: Initializing, rayClusterStatus: {conditions: [{type: HeadPodReady, status: 'False', reason: ImagePullBackOff}]}", "Starting: ImagePullBackOff"},
		{"jobDeploymentStatus: Running, jobStatus: RUNNING, rayClusterStatus: {conditions: [{type: HeadPodReady, status: 'True'}]}", "Running"},
	}},
	{"Argo Workflow whose pods wait", "argoproj/argo-workflows workflow/controller/operator.go, getPendingReason", "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n", []write{
		{"phase: Running, nodes: {w: {type: Steps, phase: Running}, a: {type: Pod, phase: Pending}}", "Starting"},
		{"phase: Running, nodes: {w: {type: Steps, phase: Running}, a: {type: Pod, phase: Pending, message: 'Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'}}", "Queued: Unschedulable"},
		{"phase: Running, nodes: {w: {type: Steps, phase: Running}, a: {type: Pod, phase: Pending, message: 'ImagePullBackOff: Back-off pulling image'}}", "Starting: ImagePullBackOff"},
		{"phase: Running, nodes: {w: {type: Steps, phase: Running}, a: {type: Pod, phase: Running}}", "Running"},
		{"phase: Running, nodes: {w: {type: Steps, phase: Running}, a: {type: Pod, phase: Succeeded}, b: {type: Pod, phase: Pending}}", "Running"},
	}},
	{"Argo Workflow at a suspend node", "shared cases, others.yaml: wf-suspend-node", "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n", []write{
		{"phase: Running, nodes: {a: {type: Suspend, phase: Running, displayName: approve}, b: {type: Pod, phase: Running}}", "Running"},
		{"phase: Running, nodes: {a: {type: Suspend, phase: Running, displayName: approve}, b: {type: Pod, phase: Succeeded}}", "Suspended: Suspend"},
		{"phase: Running, nodes: {a: {type: Suspend, phase: Succeeded}, b: {type: Pod, phase: Succeeded}}", "Running"},
	}},
	{"Katib Trial", "kubeflow/katib pkg/apis/controller/trials/v1beta1/trial_types.go:125", "apiVersion: kubeflow.org/v1beta1\nkind: Trial\n", []write{
		{"", "Submitted"},
		{"conditions: [{type: Created, status: 'True'}]", "Submitted"},
		{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'True'}]", "Running"},
		{trial("Killed"), "Aborted: TrialKilled"},
		{trial("EarlyStopped"), "Succeeded: TrialEarlyStopped"},
		{trial("MetricsUnavailable"), "Failed: TrialMetricsUnavailable"},
		{trial("Failed"), "Failed: TrialFailed"},
	}},
	{"Volcano ends a job by a policy", "volcano-sh/apis pkg/apis/batch/v1alpha1/job.go:325; volcano-sh/volcano pkg/controllers/job/state/terminating.go", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n", []write{
		{"state: {phase: Running}", "Running"},
		{"state: {phase: Terminating}", "Failed"},
		{"state: {phase: Terminated}", "Failed"},
		{"state: {phase: Aborted}", "Aborted"}, // by a user's command
	}},
	{"PyTorchJob that is held before its operator acts", "kubeflow.org spec.runPolicy.suspend; issue 43, A.5", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec: {runPolicy: {suspend: true}}\n", []write{
		{"", "Suspended"},
		{"conditions: [{type: Created, status: 'True', reason: PyTorchJobCreated}]", "Suspended"},
		{"conditions: [{type: Created, status: 'True'}, {type: Suspended, status: 'True', reason: PyTorchJobSuspended}]", "Suspended: PyTorchJobSuspended"},
	}},
	{"PyTorchJob that is cancelled before its operator acts", "kubeflow.org spec.runPolicy.suspend; issue 43, A.5", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n" +
		"metadata: {annotations: {vedette.io/cancelled-by: ann, vedette.io/cancel: suspend}}\nspec: {runPolicy: {suspend: true}}\n", []write{
		{"", "Aborted: Cancelled"},
		{"conditions: [{type: Created, status: 'True'}, {type: Suspended, status: 'True', reason: PyTorchJobSuspended}]", "Aborted: Cancelled"},
	}},
}

const jobSet = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"

// jobs returns an array of the counters of jobs.
func jobs(field string, rows ...string) string {
	var text strings.Builder
	text.WriteString(field + ": [")
	for _, row := range rows {
		text.WriteString(row + ", ")
	}
	return text.String() + "]"
}

func replicas(name, counters string) string {
	if counters != "" {
		counters = ", " + counters
	}
	return "{name: " + name + counters + "}"
}

func restartingSet(status, reason string) string {
	return "conditions: [{type: RestartingJobSet, status: '" + status + "', reason: " + reason + "}], "
}

func tekton(status, reason string) string {
	return "conditions: [{type: Succeeded, status: '" + status + "', reason: " + reason + "}]"
}

func trial(condition string) string {
	return "conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: " + condition + ", status: 'True', reason: Trial" + condition + "}]"
}
