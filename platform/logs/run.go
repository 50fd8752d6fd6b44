package logs

import (
	"cmp"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// run is one run of a container. Each run has its own log.
type run struct {
	pod, podUID, container string
	restart, attempt       int
	created                time.Time // the pod
	order                  int       // of the container in its pod
	previous               bool      // the node has it as the previous log
	over                   bool      // no more lines will be written
	kept                   *joblog.Log
	spare                  *joblog.Log // the kept copy of the log, if the node is read first
}

// runKey identifies a run.
type runKey struct {
	podUID, container string
	restart           int
}

func (r *run) key() runKey { return runKey{r.podUID, r.container, r.restart} }

// line returns a line of the run.
func (r *run) line(at time.Time, text string) Line {
	return Line{
		Pod: r.pod, PodUID: r.podUID, Container: r.container, Attempt: r.attempt, Restart: r.restart,
		Time: at, Text: text, Kept: r.kept != nil,
	}
}

// note returns a note about the run.
func (r *run) note(at time.Time, text string) Line {
	l := r.line(at, "")
	l.Note = text
	return l
}

// liveRuns returns the runs of a pod's containers whose logs its node has. first is the
// number of the pod's first attempt.
func liveRuns(p *podState, first int) []*run {
	var all []*run
	for i, c := range p.Containers {
		add := func(restart int, previous bool) {
			all = append(all, &run{
				pod: p.Name, podUID: p.UID, container: c.Name, restart: restart, attempt: first + restart,
				created: p.Created, order: i, previous: previous, over: previous || c.Ended || p.Over,
			})
		}
		if c.Before && c.Restarts > 0 {
			add(c.Restarts-1, true)
		}
		if c.Begun {
			add(c.Restarts, false)
		}
	}
	return all
}

// keptRun returns the run of a kept log.
func keptRun(log *joblog.Log, first int) *run {
	return &run{
		pod: log.Pod, podUID: log.PodUID, container: log.Container, restart: log.Restart, attempt: first + log.Restart,
		created: log.Started, over: true, kept: log,
	}
}

// stored returns the kept run.
func (r *run) stored() *run {
	other := *r
	other.kept, other.spare = r.spare, nil
	return &other
}

// gonePods derives the states of deleted pods from kept logs.
func gonePods(logs []joblog.Log, present []*podState) []*podState {
	var gone []*podState
	for i := range logs {
		log := &logs[i]
		same := func(p *podState) bool { return p.UID == log.PodUID }
		if slices.ContainsFunc(present, same) {
			continue
		}
		at := slices.IndexFunc(gone, same)
		if at < 0 {
			at = len(gone)
			gone = append(gone, &podState{
				Name: log.Pod, UID: log.PodUID, Owner: ownerRef{Kind: log.OwnerKind, Name: log.OwnerName, UID: log.OwnerUID},
				Created: log.Started, Labels: map[string]string{}, Bound: true, Over: true,
			})
		}
		p := gone[at]
		if p.Created.IsZero() || !log.Started.IsZero() && log.Started.Before(p.Created) {
			p.Created = log.Started
		}
		p.EndedAt = latest(p.EndedAt, log.Ended, log.LastLine)
		p.Failed = p.Failed || log.ExitCode != 0
		c := slices.IndexFunc(p.Containers, func(c containerState) bool { return c.Name == log.Container })
		if c < 0 {
			c = len(p.Containers)
			p.Containers = append(p.Containers, containerState{Name: log.Container})
		}
		p.Containers[c].Restarts = max(p.Containers[c].Restarts, log.Restart)
	}
	return gone
}

// sortRuns sorts runs in the order of output: by attempt first.
func sortRuns(all []*run) {
	slices.SortStableFunc(all, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.attempt, b.attempt), a.created.Compare(b.created), cmp.Compare(a.pod, b.pod), cmp.Compare(a.order, b.order), cmp.Compare(a.container, b.container))
	})
}
