package logs

import (
	"context"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// plan has the pods and the logs of a job, live and kept, at one instant. It belongs to
// one goroutine.
type plan struct {
	o    *Options
	live []*podState
	past []*podState // known pods that no longer exist
	kept []joblog.Log
	runs []*run // selected by the options, in order of output
	last int    // the number of the last attempt
}

// survey replaces the current pods. Pods that no longer exist keep their attempts.
func (p *plan) survey(now []*podState) {
	for _, old := range p.live {
		if !slices.ContainsFunc(now, func(n *podState) bool { return n.UID == old.UID }) {
			p.past = append(p.past, old)
		}
	}
	p.live = now
}

// note updates the state of one pod.
func (p *plan) note(pod *podState, gone bool) {
	same := func(other *podState) bool { return other.UID == pod.UID }
	i := slices.IndexFunc(p.live, same)
	switch {
	case !gone && i >= 0:
		p.live[i] = pod
	case !gone:
		p.live = append(p.live, pod)
	case i >= 0:
		p.live = slices.Delete(p.live, i, i+1)
		p.past = append(p.past, pod)
	}
}

// readKept reads the list of kept logs of the job, of its pods and of their owners.
func (p *plan) readKept(ctx context.Context) error {
	if p.o.Kept == nil {
		return nil
	}
	uids := []string{p.o.Job.UID}
	for _, pod := range p.live {
		if pod.Owner.UID != "" && !slices.Contains(uids, pod.Owner.UID) {
			uids = append(uids, pod.Owner.UID)
		}
	}
	logs, err := p.o.Kept.Of(ctx, joblog.Selection{ClusterUID: p.o.ClusterUID, Namespace: p.o.Job.Namespace, UIDs: uids})
	if err != nil {
		return fmt.Errorf("read which logs of the job are kept: %w", err)
	}
	p.kept = logs
	return nil
}

// arrange numbers the attempts, and collects the selected runs. A log that the node still
// has is read from there, with the kept log as its spare.
func (p *plan) arrange() {
	pods := slices.Concat(p.live, p.past)
	pods = append(pods, gonePods(p.kept, pods)...)
	first := attemptsOf(pods)
	known := map[runKey]*run{}
	var all []*run
	for _, pod := range p.live {
		for _, r := range liveRuns(pod, first[pod.UID]) {
			known[r.key()] = r
			all = append(all, r)
		}
	}
	for i := range p.kept {
		r := keptRun(&p.kept[i], first[p.kept[i].PodUID])
		if live := known[r.key()]; live != nil {
			live.spare = r.kept
		} else {
			all = append(all, r)
		}
	}
	p.last = 0
	for _, pod := range pods {
		p.last = max(p.last, first[pod.UID]+pod.runs()-1)
	}
	p.runs = slices.DeleteFunc(all, func(r *run) bool {
		return !p.o.wants(r.pod, r.container) || !p.o.wantsAttempt(r.attempt, p.last)
	})
	sortRuns(p.runs)
}

// notes returns the reasons why pods have no log yet, one for each pod and reason. said
// has the reasons that were already reported, and is updated. calm omits reasons that
// usually pass soon.
func (p *plan) notes(said map[string]bool, calm bool) []Line {
	var all []Line
	for _, pod := range p.live {
		for _, text := range pod.obstacles(p.o, calm) {
			if !said[pod.UID+text] {
				said[pod.UID+text] = true
				all = append(all, Line{Pod: pod.Name, PodUID: pod.UID, Note: text})
			}
		}
	}
	return all
}

// obstacles returns the reasons why containers of the pod do not run.
func (s *podState) obstacles(o *Options, calm bool) []string {
	if s.Over {
		return nil
	}
	if !s.Bound {
		if calm && s.Why == "" || !o.wants(s.Name, "") && len(o.Containers) == 0 {
			return nil
		}
		return []string{fmt.Sprintf("pod %s waits for a node%s", s.Name, because(s.Why))}
	}
	var all []string
	for _, c := range s.Containers {
		if c.Waiting == "" || !o.wants(s.Name, c.Name) || c.Begun && (calm || c.Waiting == "CrashLoopBackOff") {
			continue
		}
		if passes := c.Waiting == "ContainerCreating" || c.Waiting == "PodInitializing"; passes && calm {
			continue
		}
		text := fmt.Sprintf("container %s of pod %s has not started: %s", c.Name, s.Name, c.Waiting)
		all = append(all, text+because(c.Message))
	}
	return all
}
