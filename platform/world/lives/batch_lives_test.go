package lives_test

import "fmt"

const (
	controller = "kubernetes 1.36.3, pkg/controller/job/job_controller.go, trackJobStatusAndRemoveFinalizers"
	twoSteps   = "written by Kubernetes 1.30.14: an ended pod is counted with a second write, and Complete follows with it"
	suspension = "kubernetes 1.36.3, pkg/controller/job/job_controller.go, deleteJobPods and suspendJobsInPods: pods of a suspended Job do not count as failed"
	admission  = "kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go, startJob and stopJob: a Job is suspended while its Workload has no quota"

	template = "template: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}}"
	batchJob = "apiVersion: batch/v1\nkind: Job\nspec: {backoffLimit: 6, " + template + "}\n"
	queued   = "apiVersion: batch/v1\nkind: Job\nmetadata: {labels: {kueue.x-k8s.io/queue-name: gpu}}\nspec: {suspend: true, " + template + "}\n"
	started  = "startTime: @1, "
)

// complete and failed are the last write of a Job. The counter of failed pods stays.
func complete(at, failed int) write {
	return w(at, fmt.Sprintf("startTime: @1, succeeded: 1, failed: %d, ready: 0, uncountedTerminatedPods: {}, conditions: [{type: Complete, status: 'True', lastTransitionTime: @%d}]", failed, at))
}

func failed(at, since int, counters string) write {
	return w(at, fmt.Sprintf("startTime: @1, %s, conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded, lastTransitionTime: @%d}]", counters, since))
}

// suspended is the write of a Job that is suspended, and resumed that of its next start.
func suspended(at int, reason string) write {
	return w(at, fmt.Sprintf("active: 0, ready: 0, conditions: [{type: Suspended, status: 'True', reason: %s, lastTransitionTime: @%d}]", reason, at))
}

func resumed(at int, counters string) string {
	return fmt.Sprintf("startTime: @%d, %s, conditions: [{type: Suspended, status: 'False', reason: JobResumed, lastTransitionTime: @%d}]", at, counters, at)
}

// sequential are the writes of a Job that runs 12 pods one after another for 10 seconds each.
func sequential() []write {
	all := []write{w(0, ""), w(1, started+"active: 1, ready: 0")}
	for i := range 12 {
		begin := 5 + 10*i
		all = append(all, w(begin, fmt.Sprintf("startTime: @1, active: 1, ready: 1, succeeded: %d", i)),
			w(begin+7, fmt.Sprintf("startTime: @1, active: 0, ready: 0, succeeded: %d, uncountedTerminatedPods: {succeeded: [p%d]}", i, i)),
			w(begin+8, fmt.Sprintf("startTime: @1, active: 1, ready: 0, succeeded: %d, uncountedTerminatedPods: {}", i+1)))
	}
	return append(all, complete(125, 0))
}

// batchLives are lives of Jobs of Kubernetes.
var batchLives = []life{
	{
		name: "success, 1.30", source: twoSteps, typ: "jobs.batch", object: batchJob,
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), w(20, started+"active: 0, ready: 0, uncountedTerminatedPods: {succeeded: [a]}"), complete(21, 0),
		},
		want: answer{"Succeeded", "1", "1", "16", "1", "5", "21", "1-21 16"},
	},
	{
		name: "twelve completions one after another", source: controller, typ: "jobs.batch",
		object: "apiVersion: batch/v1\nkind: Job\nspec: {completions: 12, parallelism: 1, " + template + "}\n", writes: sequential(),
		want: answer{"Succeeded", "1", "1", "120", "1", "5", "125", "1-125 120"},
	},
	{
		name: "one failed pod", source: controller, typ: "jobs.batch", object: batchJob,
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), w(10, started+"active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}"),
			w(11, started+"active: 0, ready: 0, failed: 1"), w(12, started+"active: 1, ready: 0, failed: 1"), w(15, started+"active: 1, ready: 1, failed: 1"), complete(30, 1),
		},
		want: answer{"Succeeded", "1", "1", "20", "2", "5", "30", "1-10 5, 15-30 15"},
	},
	{
		name: "it restarts now", source: controller, typ: "jobs.batch", object: batchJob,
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), w(10, started+"active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}"),
		},
		want: answer{"Restarting", "1", "1", "5", "2", "5", "never", "1-10 5"},
	},
	{
		name: "failure after the last retry", source: controller, typ: "jobs.batch", object: "apiVersion: batch/v1\nkind: Job\nspec: {backoffLimit: 1, " + template + "}\n",
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), w(10, started+"active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}"),
			w(15, started+"active: 1, ready: 1, failed: 1"), w(20, started+"active: 0, ready: 0, failed: 1, uncountedTerminatedPods: {failed: [b]}"), failed(21, 21, "failed: 2"),
		},
		want: answer{"Failed", "1", "1", "11", "2", "5", "21", "1-10 5, 15-21 6"},
	},
	{
		name: "failure without a retry", source: controller, typ: "jobs.batch", object: "apiVersion: batch/v1\nkind: Job\nspec: {backoffLimit: 0, " + template + "}\n",
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), w(10, started+"active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}"), failed(11, 11, "failed: 1"),
		},
		want: answer{"Failed", "1", "1", "6", "1", "5", "11", "1-11 6"},
	},
	{
		name: "suspended before its start", source: suspension, typ: "jobs.batch", object: "apiVersion: batch/v1\nkind: Job\nspec: {suspend: true, " + template + "}\n",
		writes: []write{
			w(0, ""), suspended(1, "JobSuspended"), {at: 60, fields: "spec: {suspend: false}", status: resumed(60, "active: 1, ready: 0")}, w(65, resumed(60, "active: 1, ready: 1")), complete(90, 0),
		},
		want: answer{"Succeeded", "0", "0", "25", "1", "65", "90", "60-90 25"},
	},
	{
		name: "suspended while it ran", source: suspension, typ: "jobs.batch", object: batchJob,
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), suspended(20, "JobSuspended"), w(50, resumed(50, "active: 1, ready: 0")),
			w(55, resumed(50, "active: 1, ready: 1")), complete(80, 0),
		},
		want: answer{"Succeeded", "1", "1", "40", "2", "5", "80", "1-20 15, 50-80 25"},
	},
	{
		name: "preempted and requeued by Kueue", source: admission, typ: "jobs.batch", object: queued,
		writes: []write{
			w(0, ""), suspended(1, "JobSuspended"),
			{at: 30, fields: "spec: {suspend: false}", status: resumed(30, "active: 1, ready: 0")},
			w(35, resumed(30, "active: 1, ready: 1")),
			{at: 100, fields: "spec: {suspend: true}", status: suspended(100, "JobSuspended").status},
			{at: 200, fields: "spec: {suspend: false}", status: resumed(200, "active: 1, ready: 0")},
			w(205, resumed(200, "active: 1, ready: 1")), complete(300, 0),
		},
		want: answer{"Succeeded", "130", "30", "160", "2", "35", "300", "30-100 65, 200-300 95"},
	},
	{
		name: "preempted, and waits", source: admission, typ: "jobs.batch", object: queued,
		writes: []write{
			w(0, ""), suspended(1, "JobSuspended"),
			{at: 30, fields: "spec: {suspend: false}", status: resumed(30, "active: 1, ready: 0")},
			w(35, resumed(30, "active: 1, ready: 1")),
			{at: 100, fields: "spec: {suspend: true}", status: suspended(100, "JobSuspended").status},
		},
		want: answer{"Queued", "930", "30", "65", "1", "35", "never", "30-100 65"},
	},
	{
		name: "it waits for quota", source: admission, typ: "jobs.batch", object: queued, writes: []write{w(0, ""), suspended(1, "JobSuspended")},
		want: answer{"Queued", "1000", "1000", "0", "1", "never", "never", "none"},
	},
	{
		name: "cancelled while it was queued", source: "platform/submit, Cancel: a Job that waits is marked and stays suspended", typ: "jobs.batch", object: queued,
		writes: []write{
			w(0, ""), suspended(1, "JobSuspended"),
			{at: 20, fields: "metadata: {annotations: {vedette.io/cancelled-by: ann, vedette.io/cancelled-at: @20, vedette.io/cancel: suspend}}", status: suspended(1, "JobSuspended").status},
		},
		want: answer{"Aborted", "20", "20", "0", "1", "never", "20", "none"},
	},
	{
		name: "deleted while it ran", source: "kubernetes 1.36.3: a deletion in the background removes the object at once", typ: "jobs.batch", object: batchJob,
		writes: []write{w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), gone(20)},
		want:   answer{"Deleted", "1", "1", "15", "1", "5", "20", "1-20 15"},
	},
	{
		name: "deleted in the foreground", source: "kubernetes 1.36.3: the object stays with a deletionTimestamp until its pods are gone", typ: "jobs.batch", object: batchJob,
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"),
			{at: 20, fields: "metadata: {deletionTimestamp: @20, deletionGracePeriodSeconds: 0}", status: started + "active: 1, ready: 1"},
			gone(25),
		},
		want: answer{"Aborted", "1", "1", "15", "1", "5", "20", "1-20 15"},
	},
	{
		name: "deleted after its end", source: "kubernetes 1.36.3, pkg/controller/ttlafterfinished", typ: "jobs.batch", object: batchJob,
		writes: []write{w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), complete(20, 0), gone(80)},
		want:   answer{"Succeeded", "1", "1", "15", "1", "5", "20", "1-20 15"},
	},
	{
		name: "node lost", source: "kubernetes 1.36.3, pkg/controller/nodelifecycle: the pod is not ready after 40 s, and deleted after 300 s; " + controller, typ: "jobs.batch", object: batchJob,
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), w(45, started+"active: 1, ready: 0"), w(345, started+"active: 0, ready: 0, failed: 1, terminating: 1"),
			w(346, started+"active: 1, ready: 0, failed: 1"), w(350, started+"active: 1, ready: 1, failed: 1"), complete(400, 1),
		},
		want: answer{"Succeeded", "1", "1", "90", "2", "5", "400", "1-345 40, 350-400 50"},
	},
}
