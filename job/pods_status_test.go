package job_test

import (
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
)

// Statuses of pods as the scheduler and the kubelet write them, see testdata/pods.yaml.
const (
	unscheduled = "apiVersion: v1\nkind: Pod\nstatus: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/4 nodes are available: 4 Insufficient nvidia.com/gpu.'}]}"
	gated       = "apiVersion: v1\nkind: Pod\nstatus: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}"
	created     = "apiVersion: v1\nkind: Pod\nstatus: {phase: Pending}"
	creating    = boundPod + "status: {phase: Pending, containerStatuses: [{name: main, state: {waiting: {reason: ContainerCreating}}}]}"
	unpulled    = boundPod + "status: {phase: Pending, containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}"
	initLoop    = boundPod + "status: {phase: Pending, initContainerStatuses: [{name: fetch, state: {waiting: {reason: CrashLoopBackOff}}}], " + mainWaits + "}"
	loop        = boundPod + "status: {phase: Running, containerStatuses: [{name: main, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1}}}]}"
	runs        = boundPod + "status: {phase: Running, containerStatuses: [{name: main, state: {running: {}}}]}"
	failedPod   = boundPod + "status: {phase: Failed, containerStatuses: [{name: main, state: {terminated: {exitCode: 1, reason: Error}}}]}"
	doneInit    = boundPod + "status: {phase: Succeeded}"
)

// TestWithPods: a job has the state and the reason of its pods where its own object does not say
// them, for each type of jobs.
func TestWithPods(t *testing.T) {
	torch := "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nstatus: {conditions: [{type: Created, status: 'True', reason: PyTorchJobCreated}"
	train := "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
	held := "metadata: {labels: {kueue.x-k8s.io/queue-name: q}}\nspec: {suspend: true}\nstatus: {conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]}"
	for _, c := range []struct {
		name, source, object string
		pods                 []string
		want                 string
	}{
		{"no node has the GPUs of a Job", "case gpu-wait of issue 43", batchJob + "status: {" + started + "active: 1, ready: 0}", []string{unscheduled}, "Queued: Unschedulable"},
		{"a Job whose pod was not looked at yet", controller, batchJob + "status: {" + started + "active: 1, ready: 0}", []string{created}, "Starting"},
		{"a Job without pods", controller, batchJob + "status: {" + started + "active: 1, ready: 0}", nil, "Starting"},
		{"image of a Job", "issue 43, A.3", batchJob + "status: {" + started + "active: 1, ready: 0}", []string{unpulled}, "Starting: ImagePullBackOff"},
		{"init container of a Job", "issue 43, A.3", batchJob + "status: {" + started + "active: 1, ready: 0}", []string{initLoop}, "Starting: Init:CrashLoopBackOff"},
		{"crash loop of a Job", "case onfailure-crashloop of issue 43", batchJob + "status: {" + started + "active: 1, ready: 0}", []string{loop}, "Restarting: CrashLoopBackOff"},
		{"pod of a Job is set up", controller, batchJob + "status: {" + started + "active: 1, ready: 0}", []string{creating}, "Starting"},
		{"one of the pods of a running Job", controller, batchJob + "status: {" + started + "active: 3, ready: 2}", []string{runs, runs, unpulled}, "Running: ImagePullBackOff"},
		{"one of the pods of a running Job crashes", controller, batchJob + "status: {" + started + "active: 2, ready: 1}", []string{runs, loop}, "Running: CrashLoopBackOff"},
		{"next pod of a sequential Job fits on no node", controller, batchJob + "spec: {completions: 3}\nstatus: {" + started + "active: 1, ready: 0, succeeded: 1}", []string{doneInit, unscheduled}, "Running: Unschedulable"},
		{"retry of a Job fits on no node", controller, batchJob + "status: {" + started + "active: 1, ready: 0, failed: 1}", []string{failedPod, unscheduled}, "Queued: Unschedulable"},
		{"image of a retry of a Job", controller, batchJob + "status: {" + started + "active: 1, ready: 0, failed: 1}", []string{failedPod, unpulled}, "Restarting: ImagePullBackOff"},
		{"some pods of a gang start, one fits on no node", "issue 43, A.2", batchJob + "status: {" + started + "active: 3, ready: 0}", []string{creating, unpulled, unscheduled}, "Queued: Unschedulable"},
		{"one pod cannot pull its image, another crashes as a consequence", "issue 43, A.3", batchJob + "status: {" + started + "active: 2, ready: 0}", []string{loop, unpulled}, "Starting: ImagePullBackOff"},
		{"a failed Job", controller, batchJob + "status: {failed: 1, conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded}]}", []string{failedPod, unscheduled}, "Failed: BackoffLimitExceeded"},
		{"a Job in a queue of Kueue", "Kueue documentation, Run A Kubernetes Job", batchJob + held, nil, "Queued: JobSuspended"},
		{"pods of a group in a queue of Kueue", "Kueue documentation, Run Plain Pods; KEP-3521", "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec: {replicas: 1}\nstatus: {replicas: 1}", []string{gated}, "Queued: SchedulingGated"},
		{"a suspended Job whose pods still end", "Kubernetes documentation, Suspending a Job", batchJob + "spec: {suspend: true}\nstatus: {conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]}", []string{loop}, "Suspended: JobSuspended"},
		{"no node has the GPUs of a TrainJob", "case trainjob-gpu-wait of issue 43", train + "status: {jobsStatus: [{name: node, active: 1, ready: 0}]}", []string{unscheduled, unscheduled}, "Queued: Unschedulable"},
		{"initializer of a TrainJob is done, its node waits", "case tune-init-done-node-pending of issue 43", train + "status: {jobsStatus: [{name: dataset-initializer, succeeded: 1}, {name: node, active: 1, ready: 0}]}", []string{doneInit, unscheduled}, "Queued: Unschedulable"},
		{"init container of a JobSet", "issue 43, A.3", "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nstatus: {replicatedJobsStatus: [{name: node, active: 1, ready: 0}]}", []string{initLoop, creating}, "Starting: Init:CrashLoopBackOff"},
		{"image of a PyTorchJob", "training-operator pkg/controller.v1/pytorch/pytorchjob_controller.go: only Created until a pod runs", torch + "]}", []string{unpulled, unpulled}, "Starting: ImagePullBackOff"},
		{"no node has the GPUs of a PyTorchJob", "the same", torch + "]}", []string{unscheduled, creating}, "Queued: Unschedulable"},
		{"a PyTorchJob is set up", "the same", torch + "]}", []string{creating, creating}, "Starting"},
		{"crash loop of a PyTorchJob", "the same: Running while a pod has the phase Running", torch + ", {type: Running, status: 'True'}]}", []string{loop}, "Restarting: CrashLoopBackOff"},
		{"an MPIJob whose launcher waits", "mpi-operator pkg/controller/mpi_job_controller.go: only Created until the launcher runs", "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nstatus: {conditions: [{type: Created, status: 'True'}]}", []string{unscheduled, runs}, "Queued: Unschedulable"},
		{"image of a RayJob", "kuberay ray-operator/controllers/ray/rayjob_controller.go: Initializing until the cluster is ready", "apiVersion: ray.io/v1\nkind: RayJob\nstatus: {jobDeploymentStatus: Initializing}", []string{unpulled, runs}, "Starting: ImagePullBackOff"},
		{"a job of Volcano in its queue", "volcano pkg/controllers/job/job_controller_actions.go: Pending until minAvailable pods run", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nstatus: {state: {phase: Pending}}", []string{unscheduled}, "Queued: Unschedulable"},
		{"image of a job of Volcano", "the same", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nstatus: {state: {phase: Pending}}", []string{unpulled}, "Starting: ImagePullBackOff"},
		{"image of a SparkApplication", "spark-operator internal/controller/sparkapplication/controller.go: SUBMITTED until the driver runs", "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nstatus: {applicationState: {state: SUBMITTED}}", []string{unpulled}, "Starting: ImagePullBackOff"},
		{"an object without a state", "no state is guessed", "kind: X\nstatus: {phase: Bound}", []string{loop}, "Bound"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.source == "" {
				t.Error("the row has no source")
			}
			own := job.ReadStatus(lighten(parse(t, c.object)))
			var pods []job.Status
			for _, p := range c.pods {
				pods = append(pods, job.ReadStatus(lighten(parse(t, p))))
			}
			for range 2 {
				s := own.WithPods(pods)
				got := s.String()
				if s.Reason != "" {
					got += ": " + s.Reason
				}
				if got != c.want {
					t.Errorf("got %q, want %q (its own: %+v)", got, c.want, own)
				}
				slices.Reverse(pods) // their order does not matter
			}
		})
	}
}

// TestFirstProblem: of equal problems, the earliest is the reason, with its message.
func TestFirstProblem(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 22, 8, minute, 0, 0, time.UTC) }
	pods := []job.Status{
		{State: job.Queued, Reason: "Unschedulable", Message: "late", At: at(2)},
		{State: job.Queued, Reason: "Unschedulable", Message: "early", At: at(1)},
		{State: job.Starting, Reason: "ErrImagePull", At: at(0)},
	}
	want := job.Status{State: job.Queued, Raw: "Created", Reason: "Unschedulable", Message: "early", At: at(1)}
	if got := (job.Status{State: job.Submitted, Raw: "Created"}).WithPods(pods); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
