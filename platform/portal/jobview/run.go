package jobview

import (
	"cmp"
	"slices"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// run is one run of a container, from its pod's status or a kept log.
type run struct {
	job.Run
	pod, podUID, node string
	attempt           int
}

// failure is an ending in an attempt.
type failure struct {
	job.Ending
	attempt int
	podUID  string
}

// runsOf returns the runs of the containers of a pod from its status. first is the number of the
// attempt in which they first ran.
func runsOf(o *history.Object, pod job.Object, first int) (all []run) {
	for _, r := range job.Runs(pod) {
		all = append(all, run{Run: r, pod: o.Name, podUID: o.UID, node: pod.Text("spec", "nodeName"), attempt: first + r.Restart})
	}
	return all
}

// failuresOf returns the failures of a pod. Those with which a failed pod ended belong to the
// attempt of its last run.
func failuresOf(o *history.Object, pod job.Object, first int) (all []failure) {
	last := 0
	for _, r := range job.Runs(pod) {
		if r.Role != job.NativeSidecar {
			last = max(last, r.Restart)
		}
	}
	failed := job.State(o.State) == job.Failed
	for _, e := range job.Endings(pod) {
		e.Pod = o.Name
		e.SeenIn(o.Since, failed)
		restart := e.Restart
		if e.Exit == nil || failed && e.Final() {
			restart = last
		}
		all = append(all, failure{Ending: e, attempt: first + restart, podUID: o.UID})
	}
	return all
}

// withLogs adds the runs that only kept logs show. first has the numbers of the first attempts of
// pods by UID; a missing pod began in attempt 1.
func withLogs(runs []run, logs []joblog.Log, first map[string]int) []run {
	for i := range logs {
		l := &logs[i]
		if slices.ContainsFunc(runs, func(r run) bool {
			return r.podUID == l.PodUID && r.Container == l.Container && r.Restart == l.Restart
		}) {
			continue
		}
		runs = append(runs, run{
			Run: job.Run{
				Container: l.Container, Role: roleIn(runs, l), Restart: l.Restart, Began: l.Started, Ended: l.Ended, Over: !l.Ended.IsZero(), Exit: l.ExitCode, Reason: l.Reason,
			},
			pod: l.Pod, podUID: l.PodUID, node: l.Node, attempt: cmp.Or(first[l.PodUID], 1) + l.Restart,
		})
	}
	return runs
}

// attemptsIn returns the number of attempts that runs show. The restarts of a native sidecar are
// no attempts: its runs after the last attempt move to that one.
func attemptsIn(runs []run, n int) int {
	for i := range runs {
		if r := &runs[i]; r.Role != job.NativeSidecar {
			n = max(n, r.attempt)
		}
	}
	n = max(n, 1)
	for i := range runs {
		runs[i].attempt = min(runs[i].attempt, n)
	}
	return n
}

// roleIn returns the role of a container from its other runs.
func roleIn(runs []run, l *joblog.Log) job.Role {
	for i := range runs {
		if r := &runs[i]; r.podUID == l.PodUID && r.Container == l.Container {
			return r.Role
		}
	}
	return job.MainContainer
}

// withRuns adds the failures of runs that no pod shows.
func withRuns(failures []failure, runs []run) []failure {
	for i := range runs {
		r := &runs[i]
		known := func(f failure) bool {
			return f.podUID == r.podUID && (f.Container == r.Container && f.Restart == r.Restart || f.Container == "" && f.attempt == r.attempt)
		}
		if !r.Failed() || r.Role == job.NativeSidecar || slices.ContainsFunc(failures, known) {
			continue
		}
		failures = append(failures, failure{Ending: job.Ending{Pod: r.pod, Node: r.node}.Of(&r.Run), attempt: r.attempt, podUID: r.podUID})
	}
	return failures
}

// firstFailure returns the cause of the failure of an attempt, nil if none failed.
func firstFailure(failures []failure, attempt int) *failure {
	var first *failure
	for i := range failures {
		if f := &failures[i]; f.attempt == attempt && (first == nil || f.Compare(&first.Ending) < 0) {
			first = f
		}
	}
	return first
}
