package job_test

const (
	boundPod  = "apiVersion: v1\nkind: Pod\nspec: {nodeName: n1}\n"
	neverPod  = "apiVersion: v1\nkind: Pod\nspec: {nodeName: n1, restartPolicy: Never}\n"
	endingPod = "apiVersion: v1\nkind: Pod\nmetadata: {deletionTimestamp: '2026-11-28T08:05:30Z', deletionGracePeriodSeconds: 30}\nspec: {nodeName: n1}\n"

	kubectl    = "kubernetes 1.36.3 pkg/printers/internalversion/printers.go, printPod: column STATUS"
	kept       = "issue 43, A.5: the last state stays, with the reason"
	preempting = "conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}], "
	mainWaits  = "containerStatuses: [{name: main, state: {waiting: {reason: PodInitializing}}}]"
)

// podLives are lives of pods.
var podLives = []life{
	{"image of an init container that cannot be pulled", kubectl, boundPod, []write{
		{"phase: Pending, initContainerStatuses: [{name: fetch, state: {waiting: {reason: PodInitializing}}}], " + mainWaits, "Starting: PodInitializing"},
		{"phase: Pending, initContainerStatuses: [{name: fetch, state: {waiting: {reason: ErrImagePull}}}], " + mainWaits, "Starting: Init:ErrImagePull"},
		{"phase: Pending, initContainerStatuses: [{name: fetch, state: {waiting: {reason: ImagePullBackOff}}}], " + mainWaits, "Starting: Init:ImagePullBackOff"},
	}},
	{"init container that fails and is restarted", kubectl, boundPod, []write{
		{"phase: Pending, initContainerStatuses: [{name: fetch, started: true, state: {running: {}}}], " + mainWaits, "Starting: PodInitializing"},
		{"phase: Pending, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 1, reason: Error}}}], " + mainWaits, "Starting: Init:Error"},
		{"phase: Pending, initContainerStatuses: [{name: first, state: {terminated: {exitCode: 0}}}, {name: fetch, started: false, state: {waiting: {reason: CrashLoopBackOff}}}], " + mainWaits, "Starting: Init:CrashLoopBackOff"},
		{"phase: Pending, conditions: [{type: Initialized, status: 'True'}], initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 0}}}], containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff}}}]", "Starting: ImagePullBackOff"},
		{"phase: Running, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 0}}}], containerStatuses: [{name: main, state: {running: {}}}]", "Running"},
	}},
	{"init container that fails for good", kubectl, neverPod, []write{
		{"phase: Failed, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 7, reason: Error}}}], " + mainWaits, "Failed: Init:Error"},
		{"phase: Failed, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 7}}}], " + mainWaits, "Failed: Init:ExitCode:7"},
	}},
	{"native sidecar that crashes", "KEP-753: exit codes of restartable init containers do not count", boundPod, []write{
		{"phase: Running, initContainerStatuses: [{name: proxy, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}}], containerStatuses: [{name: main, state: {running: {}}}]", "Running"},
		{"phase: Failed, initContainerStatuses: [{name: proxy, state: {terminated: {exitCode: 137, reason: OOMKilled}}}], containerStatuses: [{name: main, state: {terminated: {exitCode: 42, reason: Error}}}]", "Failed: Error"},
	}},
	{"image of the second container", kubectl, boundPod, []write{
		{"phase: Pending, containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff}}}, {name: side, state: {waiting: {reason: ContainerCreating}}}]", "Starting: ImagePullBackOff"},
		{"phase: Pending, containerStatuses: [{name: main, state: {waiting: {reason: ContainerCreating}}}, {name: side, state: {waiting: {reason: InvalidImageName}}}]", "Starting: InvalidImageName"},
	}},
	{"crash loop", kubectl, boundPod, []write{
		{"phase: Running, containerStatuses: [{name: main, state: {running: {}}}]", "Running"},
		{"phase: Running, containerStatuses: [{name: main, state: {terminated: {exitCode: 1, reason: Error}}}]", "Restarting: Error"},
		{"phase: Running, containerStatuses: [{name: main, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1}}}]", "Restarting: CrashLoopBackOff"},
		{"phase: Running, containerStatuses: [{name: main, state: {running: {}}, lastState: {terminated: {exitCode: 1}}}]", "Running"},
	}},
	{"one of two containers ends, never restarted", "Kubernetes documentation, Pod Lifecycle: Failed when all containers have ended", neverPod, []write{
		{"phase: Running, containerStatuses: [{name: main, state: {running: {}}}, {name: side, state: {terminated: {exitCode: 1, reason: Error}}}]", "Running"},
	}},
	{"ephemeral container without its image", "KEP-277: ephemeral containers do not affect a pod", boundPod, []write{
		{"phase: Running, containerStatuses: [{name: main, state: {running: {}}}], ephemeralContainerStatuses: [{name: debug, state: {waiting: {reason: ImagePullBackOff}}}]", "Running"},
	}},
	{"preempted", "KEP-3329, condition DisruptionTarget", endingPod, []write{
		{preempting + "phase: Running, containerStatuses: [{name: main, state: {running: {}}}]", "Aborted: PreemptionByScheduler"},
		{preempting + "phase: Failed, containerStatuses: [{name: main, state: {terminated: {exitCode: 143, reason: Error}}}]", "Failed: PreemptionByScheduler"},
	}},
	{"removed after its node was lost", "KEP-3329, condition DisruptionTarget; " + kept, endingPod, []write{
		{"phase: Running, reason: NodeLost, conditions: [{type: DisruptionTarget, status: 'True', reason: DeletionByTaintManager}], containerStatuses: [{name: main, state: {running: {}}}]", "Aborted: DeletionByTaintManager"},
	}},
	{"evicted", "Kubernetes documentation, Node-pressure Eviction", boundPod, []write{
		{"phase: Failed, reason: Evicted, message: disk, conditions: [{type: DisruptionTarget, status: 'True', reason: TerminationByKubelet}]", "Failed: Evicted"},
	}},
	{"node lost", kept, boundPod, []write{
		{"phase: Running, containerStatuses: [{name: main, state: {running: {}}}]", "Running"},
		{"phase: Unknown, reason: NodeLost, containerStatuses: [{name: main, state: {running: {}}}]", "Running: NodeLost"},
		{"phase: Unknown, reason: NodeLost", "Running: NodeLost"},
	}},
	{"node lost before the containers ran", kept, boundPod, []write{
		{"phase: Unknown, reason: NodeLost, containerStatuses: [{name: main, state: {waiting: {reason: ContainerCreating}}}]", "Starting: NodeLost"},
	}},
}
