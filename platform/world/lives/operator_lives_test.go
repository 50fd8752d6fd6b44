package lives_test

// operatorLives are lives of jobs of operators outside of Kubernetes.
var operatorLives = []life{
	{
		name: "JobSet that restarts", source: "kubernetes-sigs/jobset pkg/controllers/failure_policy.go; kubernetes-sigs/jobset#1219", typ: "jobsets.jobset.x-k8s.io",
		object: "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec: {failurePolicy: {maxRestarts: 3}}\n",
		writes: []write{
			w(0, ""), w(1, "replicatedJobsStatus: [{name: node, active: 1}]"), w(5, "replicatedJobsStatus: [{name: node, active: 1, ready: 1}]"),
			w(20, "restarts: 1, conditions: [{type: RestartingJobSet, status: 'True', reason: FailurePolicy_Rule1, lastTransitionTime: @20}], replicatedJobsStatus: [{name: node, failed: 1}]"),
			w(25, "restarts: 1, conditions: [{type: RestartingJobSet, status: 'True', reason: FailurePolicy_Rule1, lastTransitionTime: @20}], replicatedJobsStatus: [{name: node, active: 1}]"),
			w(30, "restarts: 1, conditions: [{type: RestartingJobSet, status: 'False', reason: JobsReady, lastTransitionTime: @30}], replicatedJobsStatus: [{name: node, active: 1, ready: 1}]"),
			w(60, "restarts: 1, conditions: [{type: Completed, status: 'True', reason: AllJobsCompleted, lastTransitionTime: @60}]"),
		},
		want: answer{"Succeeded", "1", "1", "45", "2", "5", "60", "1-20 15, 30-60 30"},
	},
	{
		name: "JobSet whose second job waits", source: "kubernetes-sigs/jobset pkg/controllers/jobset_controller.go, calculateReplicatedJobStatuses", typ: "jobsets.jobset.x-k8s.io",
		object: "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n",
		writes: []write{
			w(0, ""), w(1, "replicatedJobsStatus: [{name: first, active: 1}, {name: second}]"), w(5, "replicatedJobsStatus: [{name: first, active: 1, ready: 1}, {name: second}]"),
			w(20, "replicatedJobsStatus: [{name: first, succeeded: 1}, {name: second, active: 1}]"), w(30, "replicatedJobsStatus: [{name: first, succeeded: 1}, {name: second, active: 1, ready: 1}]"),
			w(50, "conditions: [{type: Completed, status: 'True', reason: AllJobsCompleted, lastTransitionTime: @50}]"),
		},
		want: answer{"Succeeded", "1", "1", "35", "1", "5", "50", "1-50 35"},
	},
	{
		name: "TrainJob with an initializer", source: "kubeflow/trainer pkg/constants/constants.go; kubeflow/sdk#52", typ: "trainjobs.trainer.kubeflow.org",
		object: "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n",
		writes: []write{
			w(0, ""), w(1, "jobsStatus: [{name: dataset-initializer, active: 1}, {name: node}]"), w(10, "jobsStatus: [{name: dataset-initializer, active: 1, ready: 1}, {name: node}]"),
			w(50, "jobsStatus: [{name: dataset-initializer, succeeded: 1}, {name: node}]"), w(60, "jobsStatus: [{name: dataset-initializer, succeeded: 1}, {name: node, active: 1}]"),
			w(70, "jobsStatus: [{name: dataset-initializer, succeeded: 1}, {name: node, active: 1, ready: 1}]"),
			w(100, "conditions: [{type: Complete, status: 'True', reason: JobsCompleted, lastTransitionTime: @100}]"),
		},
		want: answer{"Succeeded", "1", "1", "30", "1", "70", "100", "1-100 30"},
	},
	{
		name: "RayJob that is retried", source: "ray-project/kuberay ray-operator/controllers/ray/rayjob_controller.go, JobDeploymentStatusRetrying: the next status is new", typ: "rayjobs.ray.io",
		object: "apiVersion: ray.io/v1\nkind: RayJob\nspec: {backoffLimit: 1}\n",
		writes: []write{
			w(0, ""), w(1, "jobDeploymentStatus: Initializing, startTime: @1"), w(10, "jobDeploymentStatus: Running, jobStatus: PENDING, startTime: @1"),
			w(12, "jobDeploymentStatus: Running, jobStatus: RUNNING, startTime: @1"), w(30, "jobDeploymentStatus: Running, jobStatus: FAILED, startTime: @1"),
			w(31, "jobDeploymentStatus: Retrying, failed: 1"), w(32, "failed: 1"), w(33, "jobDeploymentStatus: Initializing, failed: 1, startTime: @33"),
			w(50, "jobDeploymentStatus: Running, jobStatus: RUNNING, failed: 1, startTime: @33"), w(90, "jobDeploymentStatus: Complete, jobStatus: SUCCEEDED, failed: 1, startTime: @33, endTime: @90"),
		},
		want: answer{"Succeeded", "2", "1", "59", "2", "12", "90", "1-31 19, 33-90 40"},
	},
	{
		name: "Volcano job that restarts", source: "volcano-sh/volcano pkg/controllers/job/state/restarting.go", typ: "jobs.batch.volcano.sh",
		object: "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {maxRetry: 3}\n",
		writes: []write{
			w(0, ""), w(1, "state: {phase: Pending}"), w(10, "state: {phase: Running}"), w(30, "retryCount: 1, state: {phase: Restarting}"), w(35, "retryCount: 1, state: {phase: Pending}"),
			w(40, "retryCount: 1, state: {phase: Running}"), w(80, "retryCount: 1, state: {phase: Completed}"),
		},
		want: answer{"Succeeded", "15", "10", "60", "2", "10", "80", "10-30 20, 40-80 40"},
	},
	{
		name: "Volcano job that is aborted and resumed", source: "volcano-sh/volcano pkg/controllers/job/state/aborted.go, ResumeJobAction: the next phase is Restarting", typ: "jobs.batch.volcano.sh",
		object: "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {maxRetry: 3}\n",
		writes: []write{
			w(0, ""), w(1, "state: {phase: Pending}"), w(10, "state: {phase: Running}"), w(30, "state: {phase: Aborting}"), w(31, "state: {phase: Aborted}"),
			w(100, "retryCount: 1, state: {phase: Restarting}"), w(101, "retryCount: 1, state: {phase: Pending}"), w(110, "retryCount: 1, state: {phase: Running}"),
			w(150, "retryCount: 1, state: {phase: Completed}"),
		},
		want: answer{"Succeeded", "19", "10", "60", "2", "10", "150", "10-30 20, 110-150 40"},
	},
	{
		name: "PyTorchJob that restarts", source: "kubeflow/training-operator pkg/util/status.go, UpdateJobConditions", typ: "pytorchjobs.kubeflow.org",
		object: "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n",
		writes: []write{
			w(0, ""), w(1, "conditions: [{type: Created, status: 'True', lastTransitionTime: @1}]"),
			w(10, "conditions: [{type: Created, status: 'True', lastTransitionTime: @1}, {type: Running, status: 'True', lastTransitionTime: @10}]"),
			w(30, "conditions: [{type: Created, status: 'True', lastTransitionTime: @1}, {type: Running, status: 'False', lastTransitionTime: @30}, {type: Restarting, status: 'True', lastTransitionTime: @30}]"),
			w(40, "conditions: [{type: Created, status: 'True', lastTransitionTime: @1}, {type: Restarting, status: 'False', lastTransitionTime: @40}, {type: Running, status: 'True', lastTransitionTime: @40}]"),
			w(90, "conditions: [{type: Created, status: 'True', lastTransitionTime: @1}, {type: Running, status: 'False', lastTransitionTime: @90}, {type: Succeeded, status: 'True', lastTransitionTime: @90}]"),
		},
		want: answer{"Succeeded", "10", "10", "70", "2", "10", "90", "10-30 20, 40-90 50"},
	},
}
