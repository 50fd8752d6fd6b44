package jobview

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/record/joblog"
)

// run is one run of a container, from its pod's status or a kept log.
type run struct {
	pod, podUID, container, node string
	attempt, restart             int
	began, ended                 time.Time // zero if unknown, or not yet
	over                         bool
	exit                         int
	reason                       string
}

func (r *run) failed() bool { return r.over && r.exit != 0 }

// runsOf returns the runs of the containers of a pod from its status. first is the number of the
// attempt in which they first ran.
func runsOf(p *corev1.Pod, first int) (all []run) {
	for _, statuses := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range statuses {
			c := &statuses[i]
			restarts := int(max(c.RestartCount, 0))
			one := run{pod: p.Name, podUID: string(p.UID), container: c.Name, node: p.Spec.NodeName}
			if t := c.LastTerminationState.Terminated; t != nil && restarts > 0 {
				all = append(all, one.terminated(t, restarts-1, first))
			}
			if t := c.State.Terminated; t != nil {
				all = append(all, one.terminated(t, restarts, first))
			} else if r := c.State.Running; r != nil {
				one.restart, one.attempt, one.began = restarts, first+restarts, r.StartedAt.Time
				all = append(all, one)
			}
		}
	}
	return all
}

func (r run) terminated(t *corev1.ContainerStateTerminated, restart, first int) run {
	r.restart, r.attempt, r.over = restart, first+restart, true
	r.began, r.ended, r.exit, r.reason = t.StartedAt.Time, t.FinishedAt.Time, int(t.ExitCode), t.Reason
	return r
}

// withLogs adds the runs that only kept logs show. first has the numbers of the first attempts of
// pods by UID; a missing pod began in attempt 1.
func withLogs(runs []run, logs []joblog.Log, first map[string]int) []run {
	for i := range logs {
		l := &logs[i]
		if slices.ContainsFunc(runs, func(r run) bool {
			return r.podUID == l.PodUID && r.container == l.Container && r.restart == l.Restart
		}) {
			continue
		}
		runs = append(runs, run{
			pod: l.Pod, podUID: l.PodUID, container: l.Container, node: l.Node, restart: l.Restart,
			attempt: cmp.Or(first[l.PodUID], 1) + l.Restart, began: l.Started, ended: l.Ended, over: !l.Ended.IsZero(), exit: l.ExitCode, reason: l.Reason,
		})
	}
	return runs
}

// firstFailure returns the first failed run of an attempt, nil if none failed.
func firstFailure(runs []run, attempt int) *run {
	var first *run
	for i := range runs {
		if r := &runs[i]; r.attempt == attempt && r.failed() && (first == nil || r.ended.Before(first.ended)) {
			first = r
		}
	}
	return first
}
