package logkeeper

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/job"
)

// ending is the end of one run of a container.
type ending struct {
	container string
	restart   int    // the number of earlier runs
	id        string // of the container; it may be empty
	// previous is set if the container was restarted or waits for its restart: the log is
	// then the previous log of the container.
	previous       bool
	started, ended time.Time // zero if unknown
	exitCode       int
	reason         string
	// unstarted is set if the container has no log, because it could not be started.
	unstarted bool
}

// statuses returns the statuses of all containers of a pod.
func statuses(pod *corev1.Pod) (all []corev1.ContainerStatus) {
	all = append(all, pod.Status.InitContainerStatuses...)
	all = append(all, pod.Status.ContainerStatuses...)
	return append(all, pod.Status.EphemeralContainerStatuses...)
}

// endings returns the ends of runs in the status of a pod: for each container the last
// end, and the one before.
func endings(pod *corev1.Pod) (all []ending) {
	for _, s := range statuses(pod) {
		count := int(s.RestartCount)
		last := s.LastTerminationState.Terminated
		now := s.State.Terminated
		if last != nil {
			if restart, exists := job.PreviousRun(count, now == nil && s.State.Running == nil, last.Reason); exists {
				all = append(all, endingOf(s.Name, restart, true, last))
			}
		}
		switch {
		case now != nil:
			all = append(all, endingOf(s.Name, count, false, now))
		case last == nil && s.State.Waiting != nil && over(pod):
			all = append(all, ending{container: s.Name, restart: count, reason: s.State.Waiting.Reason, unstarted: true})
		}
	}
	return all
}

func endingOf(name string, restart int, previous bool, t *corev1.ContainerStateTerminated) ending {
	e := ending{
		container: name, restart: restart, id: t.ContainerID, previous: previous,
		started: t.StartedAt.Time, ended: t.FinishedAt.Time, exitCode: int(t.ExitCode), reason: t.Reason,
	}
	e.unstarted = !e.started.After(time.Unix(0, 0)) && e.exitCode != 0
	return e
}

// over reports whether the pod has ended on a node.
func over(pod *corev1.Pod) bool {
	phase := pod.Status.Phase
	return pod.Spec.NodeName != "" && (phase == corev1.PodFailed || phase == corev1.PodSucceeded)
}

// run is a run of a container that has not ended.
type run struct {
	container string
	restart   int
	started   time.Time
}

// unended returns the run as an ending without details.
func (r run) unended() ending {
	return ending{container: r.container, restart: r.restart, started: r.started}
}

// running returns the runs that have not ended.
func running(pod *corev1.Pod) (all []run) {
	for _, s := range statuses(pod) {
		if r := s.State.Running; r != nil {
			all = append(all, run{s.Name, int(s.RestartCount), r.StartedAt.Time})
		}
	}
	return all
}

// restarts reports whether a container of the pod may restart after an end.
func restarts(pod *corev1.Pod, e ending) bool {
	policy := pod.Spec.RestartPolicy
	own := func(p *corev1.ContainerRestartPolicy, rules int) {
		if rules > 0 {
			policy = corev1.RestartPolicyAlways // the exit code decides
		} else if p != nil {
			policy = corev1.RestartPolicy(*p)
		}
	}
	for _, c := range pod.Spec.InitContainers {
		if c.Name != e.container {
			continue
		}
		if policy == corev1.RestartPolicyAlways {
			policy = corev1.RestartPolicyOnFailure // an init container runs until it succeeds
		}
		own(c.RestartPolicy, len(c.RestartPolicyRules))
	}
	for _, c := range pod.Spec.Containers {
		if c.Name == e.container {
			own(c.RestartPolicy, len(c.RestartPolicyRules))
		}
	}
	switch policy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return e.exitCode != 0
	}
	return true
}
