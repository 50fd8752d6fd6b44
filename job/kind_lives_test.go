package job_test

import (
	"slices"
	"strings"
)

// kindLives are lives of the kinds without a life elsewhere, and lives that wait or fail.
var kindLives = slices.Concat(trainingLives(), []life{
	{"MPIJob whose workers are evicted", "kubeflow/mpi-operator pkg/controller/mpi_job_controller_status.go; shared cases, others.yaml: mpi-evicted", "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\n", []write{
		{"", "Submitted"},
		{"conditions: [{type: Created, status: 'True', reason: MPIJobCreated}]", "Submitted: MPIJobCreated"},
		{"conditions: [{type: Created, status: 'True'}, {type: Suspended, status: 'True', reason: MPIJobSuspended}]", "Queued: MPIJobSuspended"},
		{"conditions: [{type: Created, status: 'True'}, {type: Suspended, status: 'False', reason: MPIJobResumed}, {type: Running, status: 'True', reason: MPIJobRunning}]", "Running: MPIJobRunning"},
		{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Failed, status: 'True', reason: MPIJobEvicted}]", "Failed: MPIJobEvicted"},
	}},
	{"TrainJob in a queue that fails", "kubeflow/trainer v2.0.0 pkg/apis/trainer/v1alpha1/trainjob_types.go:54-74", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nspec: {suspend: true}\n", []write{
		{"", "Queued"},
		{"conditions: [{type: Suspended, status: 'True', reason: Suspended}]", "Queued: Suspended"},
		{"conditions: [{type: Failed, status: 'True', reason: TrainingRuntimeNotSupported}]", "Failed: TrainingRuntimeNotSupported"},
	}},
	{"OptimizationJob", "kubeflow/trainer KEP-3744, User Stories: Complete with the reason MaxTrialsReached (by its documentation)", "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: OptimizationJob\n", []write{
		{"", "Submitted"},
		{"conditions: [{type: Running, status: 'True'}]", "Running"},
		{"conditions: [{type: Running, status: 'False'}, {type: Complete, status: 'True', reason: MaxTrialsReached}]", "Succeeded: MaxTrialsReached"},
		{"conditions: [{type: Running, status: 'False'}, {type: Failed, status: 'True'}]", "Failed"},
	}},
	{"JobSet in a queue that fails", "kubernetes-sigs/jobset pkg/constants/constants.go: SuspendedJobs, FailedJobs", jobSet + "metadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nspec: {suspend: true}\n", []write{
		{"", "Queued"},
		{"conditions: [{type: Suspended, status: 'True', reason: SuspendedJobs}]", "Queued: SuspendedJobs"},
		{"conditions: [{type: Suspended, status: 'False'}, {type: Failed, status: 'True', reason: FailedJobs}]", "Failed: FailedJobs"},
	}},
	{"batch Job in a queue", "kubernetes 1.36.3, pkg/controller/job/job_controller.go, syncJob; sigs.k8s.io/kueue v0.17.0 pkg/controller/jobs/job/job_controller.go:153", "apiVersion: batch/v1\nkind: Job\nmetadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nspec: {suspend: true}\n", []write{
		{"", "Queued"},
		{"conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]", "Queued: JobSuspended"},
	}},
	{"RayJob that fails", "ray-project/kuberay ray-operator v1.5.0 apis/ray/v1/rayjob_types.go:73-79", "apiVersion: ray.io/v1\nkind: RayJob\n", []write{
		{"", "Submitted"},
		{"jobDeploymentStatus: Initializing", "Starting"},
		{"jobDeploymentStatus: Waiting", "Queued"},
		{"jobDeploymentStatus: Running, jobStatus: RUNNING", "Running"},
		{"jobDeploymentStatus: Retrying, jobStatus: ''", "Restarting"},
		{"jobDeploymentStatus: Failed, jobStatus: FAILED, reason: AppFailed", "Failed: AppFailed"},
		{"jobDeploymentStatus: Failed, jobStatus: RUNNING, reason: DeadlineExceeded", "Failed: DeadlineExceeded"},
		{"jobDeploymentStatus: ValidationFailed, reason: ValidationFailed", "Failed: ValidationFailed"},
		{"jobDeploymentStatus: Complete, jobStatus: STOPPED", "Aborted"},
		{"jobDeploymentStatus: Suspended", "Suspended"},
	}},
	{"Volcano job", "volcano-sh/apis pkg/apis/batch/v1alpha1/job.go:325", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n", []write{
		{"", "Submitted"},
		{"state: {phase: Pending}", "Queued"},
		{"state: {phase: Running}", "Running"},
		{"state: {phase: Restarting}", "Restarting"},
		{"state: {phase: Completing}", "Running"},
		{"state: {phase: Completed}", "Succeeded"},
	}},
	{"Argo Workflow that fails", "argoproj/argo-workflows pkg/apis/workflow/v1alpha1/workflow_phase.go; shared cases, others.yaml: wf-pending-semaphore", "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n", []write{
		{"", "Submitted"},
		{"phase: Pending, message: 'Waiting for ml/ConfigMap/sem lock. Lock status: 0/1'", "Queued"},
		{"phase: Running", "Running"},
		{"phase: Failed, message: child failed", "Failed"},
		{"phase: Error, message: no image", "Failed"},
		{"phase: Succeeded", "Succeeded"},
	}},
	{"Argo Workflow that is held", "argoproj/argo-workflows pkg/apis/workflow/v1alpha1/workflow_types.go, WorkflowSpec.Suspend", "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec: {suspend: true}\n", []write{
		{"", "Suspended"},
		{"phase: Running", "Suspended"},
	}},
	{"AppWrapper that is cancelled by suspension", "project-codeflare/appwrapper api/v1beta2/appwrapper_types.go:30", "apiVersion: workload.codeflare.dev/v1beta2\nkind: AppWrapper\n" +
		"metadata: {labels: {kueue.x-k8s.io/queue-name: gpu}, annotations: {vedette.io/cancelled-by: ann, vedette.io/cancel: suspend}}\nspec: {suspend: true}\n", []write{
		{"", "Aborted: Cancelled"},
		{"phase: Running", "Running"},
		{"phase: Suspending", "Aborted: Cancelled"},
		{"phase: Suspended", "Aborted: Cancelled"},
	}},
	{"SparkApplication that is cancelled by suspension", "kubeflow/spark-operator internal/controller/sparkapplication/controller.go:213", "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\n" +
		"metadata: {annotations: {vedette.io/cancelled-by: ann, vedette.io/cancel: suspend}}\nspec: {suspend: true}\n", []write{
		{"applicationState: {state: RUNNING}", "Running"},
		{"applicationState: {state: SUSPENDING}", "Aborted: Cancelled"},
		{"applicationState: {state: SUSPENDED}", "Aborted: Cancelled"},
	}},
	{"Katib Experiment", "kubeflow/katib v0.19.0 pkg/controller.v1beta1/experiment/util/status_util.go:35-41, 187-235; pkg/apis/controller/experiments/v1beta1/util.go", "apiVersion: kubeflow.org/v1beta1\nkind: Experiment\n", []write{
		{"", "Submitted"},
		{"conditions: [{type: Created, status: 'True', reason: ExperimentCreated}]", "Submitted: ExperimentCreated"},
		{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'True', reason: ExperimentRunning}]", "Running: ExperimentRunning"},
		{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Succeeded, status: 'True', reason: ExperimentMaxTrialsReached}]", "Succeeded: ExperimentMaxTrialsReached"},
		{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Restarting, status: 'True', reason: ExperimentRestarting}]", "Restarting: ExperimentRestarting"},
		{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'True', reason: ExperimentRunning}, {type: Restarting, status: 'True', reason: ExperimentRestarting}]", "Running: ExperimentRunning"},
		{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Failed, status: 'True', reason: ExperimentFailed}]", "Failed: ExperimentFailed"},
	}},
	{"FlinkDeployment", "apache/flink-kubernetes-operator api/status/CommonStatus.java:78, api/lifecycle/ResourceLifecycleState.java:28 (by its documentation)", flink("FlinkDeployment"), flinkWrites},
	{"FlinkSessionJob", "apache/flink-kubernetes-operator api/status/CommonStatus.java:78, api/lifecycle/ResourceLifecycleState.java:28 (by its documentation)", flink("FlinkSessionJob"), flinkWrites},
	{"InferenceService", "kserve/kserve pkg/apis/serving/v1beta1/inference_service_status.go:136-151 (by its API)", "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n", []write{
		{"", "Submitted"},
		{"conditions: [{type: PredictorReady, status: 'False'}, {type: Ready, status: 'False', reason: MinimumReplicasUnavailable}]", "Starting: MinimumReplicasUnavailable"},
		{"conditions: [{type: Ready, status: 'True'}]", "Running"},
		{"conditions: [{type: Ready, status: 'False'}, {type: Stopped, status: 'True', reason: Stopped}]", "Suspended: Stopped"},
	}},
	{"Kueue Workload that is preempted", "sigs.k8s.io/kueue v0.17.0 apis/kueue/v1beta1/workload_types.go:670-687; shared cases, others.yaml: wl-preempted", "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Workload\n", []write{
		{"", "Submitted"},
		{"conditions: [{type: QuotaReserved, status: 'False', reason: Pending}]", "Queued: Pending"},
		{"conditions: [{type: QuotaReserved, status: 'True'}, {type: Admitted, status: 'True', reason: Admitted}]", "Running: Admitted"},
		{"conditions: [{type: QuotaReserved, status: 'False', reason: Pending}, {type: Admitted, status: 'False', reason: NoReservation}, {type: Evicted, status: 'True', reason: Preempted}, {type: Preempted, status: 'True', reason: InCohortReclamation}]", "Queued: Preempted"},
		{"conditions: [{type: Finished, status: 'True', reason: Failed}]", "Failed: Failed"},
	}},
	{"Deployment", "kubernetes 1.36.3 pkg/controller/deployment/progress.go", "apiVersion: apps/v1\nkind: Deployment\n", []write{
		{"", "Submitted"},
		{"conditions: [{type: Progressing, status: 'True', reason: ReplicaSetUpdated}]", "Starting: ReplicaSetUpdated"},
		{"replicas: 1, updatedReplicas: 1, availableReplicas: 1, conditions: [{type: Available, status: 'True', reason: MinimumReplicasAvailable}, {type: Progressing, status: 'True', reason: NewReplicaSetAvailable}]", "Running: MinimumReplicasAvailable"},
	}},
	{"Node", "kubernetes 1.36.3 pkg/kubelet/nodestatus/setters.go, ReadyCondition", "apiVersion: v1\nkind: Node\n", []write{
		{"conditions: [{type: Ready, status: 'True', reason: KubeletReady}]", "Ready: KubeletReady"},
		{"conditions: [{type: Ready, status: 'False', reason: KubeletNotReady}]", "NotReady: KubeletNotReady"},
	}},
})

func flink(kind string) string { return "apiVersion: flink.apache.org/v1beta1\nkind: " + kind + "\n" }

// flinkWrites are the writes of a job of Flink, which its operator suspends and resumes.
var flinkWrites = []write{
	{"", "Submitted"},
	{"lifecycleState: CREATED", "Submitted"},
	{"lifecycleState: DEPLOYED, jobStatus: {state: RECONCILING}", "Starting"},
	{"lifecycleState: DEPLOYED, jobStatus: {state: RUNNING}", "Running"},
	{"lifecycleState: STABLE, jobStatus: {state: RESTARTING}", "Restarting"},
	{"lifecycleState: STABLE, jobStatus: {state: RUNNING}", "Running"},
	{"lifecycleState: SUSPENDED, jobStatus: {state: SUSPENDED}", "Suspended"},
	{"lifecycleState: STABLE, jobStatus: {state: FINISHED}", "Succeeded"},
	{"lifecycleState: STABLE, jobStatus: {state: CANCELED}", "Aborted"},
	{"lifecycleState: FAILED, jobStatus: {state: FAILED}, error: no image", "Failed"},
}

// trainingLives are the lives of the jobs of the training operator, whose common code writes
// the conditions.
func trainingLives() (all []life) {
	for _, kind := range []string{"PyTorchJob", "TFJob", "JAXJob", "PaddleJob", "XGBoostJob"} {
		named := func(text string) string { return strings.ReplaceAll(text, "KIND", kind) }
		l := life{kind, "kubeflow/training-operator v1.8.1 pkg/controller.v1/common/job.go:155-172, :245, common/pod.go:365", named("apiVersion: kubeflow.org/v1\nkind: KIND\nmetadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\n"), nil}
		for _, w := range []write{
			{"", "Submitted"},
			{"conditions: [{type: Created, status: 'True', reason: KINDCreated}]", "Submitted: KINDCreated"},
			{"conditions: [{type: Created, status: 'True'}, {type: Suspended, status: 'True', reason: KINDSuspended}]", "Queued: KINDSuspended"},
			{"conditions: [{type: Created, status: 'True'}, {type: Suspended, status: 'False', reason: KINDResumed}, {type: Running, status: 'True', reason: KINDRunning}]", "Running: KINDRunning"},
			{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Restarting, status: 'True', reason: KINDRestarting}]", "Restarting: KINDRestarting"},
			{"conditions: [{type: Created, status: 'True'}, {type: Running, status: 'False'}, {type: Failed, status: 'True', reason: KINDFailed}]", "Failed: KINDFailed"},
		} {
			l.writes = append(l.writes, write{named(w.status), named(w.want)})
		}
		all = append(all, l)
	}
	return all
}
