package facts

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// maxAttempts is the maximum number of attempts that are compared.
const maxAttempts = 5

// maxPods is the maximum number of pods of a job that are found, the newest ones.
const maxPods = 1000

// pods finds the pods of a job.
type pods struct {
	source source
	job    *feed.Object
	notice *message.Notice
	life   *lifeOf
	found  []history.Object // by the time when they entered their state; valid if asked
	asked  bool
	read   int // number of bodies
}

// all returns the recorded pods of the job, also those of objects that it controls, ordered by
// the time when they entered their state.
func (p *pods) all(ctx context.Context) ([]history.Object, error) {
	if p.asked || p.isPod() {
		return p.found, nil
	}
	jobs, err := p.source.history.ObjectsByID(ctx, []int64{p.job.ID})
	if err != nil {
		return nil, err
	}
	byJob, err := p.source.history.PodsOf(ctx, jobs, maxPods)
	if err != nil {
		return nil, err
	}
	p.found, p.asked = byJob[p.job.ID], true
	slices.SortStableFunc(p.found, func(a, b history.Object) int { return a.Since.Compare(b.Since) })
	return p.found, nil
}

// isPod reports whether the job is a pod itself.
func (p *pods) isPod() bool { return p.job.Type.Group == "" && p.job.Type.Resource == "pods" }

// list returns at most limit pods of the job that entered one of some states in a window, the
// earliest ones.
func (p *pods) list(ctx context.Context, w window, states []job.State, limit int) (some []history.Object, err error) {
	all, err := p.all(ctx)
	for _, pod := range all {
		early, late := pod.Since.Before(w.from), !w.to.IsZero() && !pod.Since.Before(w.to)
		if !early && !late && slices.Contains(states, job.State(pod.State)) && len(some) < limit {
			some = append(some, pod)
		}
	}
	return some, err
}

// fillCause sets the cause in a notice about an end: the ending of the pod that ended
// first in the last attempt, else the cause of the job itself.
func (p *pods) fillCause(ctx context.Context) error {
	n := p.notice
	if n.Cause.Reason != "" || n.Kind != message.Failed && n.Kind != message.Restarted && n.Kind != message.Aborted {
		return nil
	}
	own := job.EndingOfJob(n.Reason, n.Message, nil)
	if own != nil {
		n.Cause = causeOf(own)
	}
	if p.isPod() {
		body, err := p.source.body(ctx, p.job.ID, 0)
		if e := job.FirstEnding(job.ParseObject(body)); e != nil {
			n.Cause = causeOf(e)
		}
		return err
	}
	if n.Kind == message.Aborted || own.EndsPods() {
		return nil
	}
	byAttempt, err := p.endings(ctx)
	if err != nil {
		return err
	}
	last := job.AttemptAt(p.life.Spans, momentOf(n))
	e, ok := byAttempt[last]
	if !ok {
		return nil
	}
	n.Cause = causeOf(e)
	p.fillSame(byAttempt, last)
	return nil
}

// fillSame sets the attempts up to the last one that ended in the same way.
func (p *pods) fillSame(byAttempt map[int]*job.Ending, last int) {
	e := byAttempt[last]
	var same []int
	for attempt := last; attempt >= 1; attempt-- {
		other, ok := byAttempt[attempt]
		if !ok || !e.Same(other) {
			break
		}
		// The job may count attempts that are not in the history.
		same = append(same, attempt+p.notice.Attempt-last)
	}
	if len(same) > 1 && len(p.notice.SameCause) == 0 && p.notice.Kind == message.Failed && same[len(same)-1] > 0 {
		slices.Reverse(same)
		p.notice.SameCause = same
	}
}

// endings returns the ending of each attempt that is its cause.
func (p *pods) endings(ctx context.Context) (map[int]*job.Ending, error) {
	found := map[int]*job.Ending{}
	for _, states := range [][]job.State{{job.Failed}, {job.Restarting, job.Starting, job.Running, job.Deleted, job.Aborted}} {
		// The newest attempt is the most important, so its pods are read first.
		for _, window := range p.windows() {
			if _, known := found[window.attempt]; known || p.read >= maxBodies {
				continue
			}
			wide := window
			if wide.to = wide.to.Add(job.ClockSlack); states[0] != job.Failed {
				wide.to = time.Time{} // it may have entered a later state since
			}
			all, err := p.list(ctx, wide, states, perWindow)
			if err != nil {
				return nil, err
			}
			if err := p.first(ctx, all, window, found); err != nil {
				return nil, err
			}
		}
		if _, known := found[job.AttemptAt(p.life.Spans, momentOf(p.notice))]; known {
			break
		}
	}
	return found, nil
}

// perWindow is the maximum number of pods of an attempt that are read.
const perWindow = 6

// first adds the first ending of some pods in an attempt.
func (p *pods) first(ctx context.Context, all []history.Object, w window, found map[int]*job.Ending) error {
	for _, pod := range all {
		if p.read++; p.read > maxBodies {
			return nil
		}
		body, err := p.source.body(ctx, pod.ID, 0)
		if err != nil {
			return err
		}
		endings := job.Endings(job.ParseObject(body))
		for i := range endings {
			e := &endings[i]
			e.SeenIn(pod.Since, job.State(pod.State) == job.Failed)
			if at := e.Moment(); !at.After(w.from) || at.After(w.to) {
				continue
			}
			if other := found[w.attempt]; other == nil || e.Compare(other) < 0 {
				found[w.attempt] = e
			}
		}
	}
	return nil
}

// window is the interval of an attempt.
type window struct {
	attempt  int
	from, to time.Time
}

// windows returns the intervals of the last attempts, newest first. Without attempts, the
// whole life is one attempt.
func (p *pods) windows() (all []window) {
	end := momentOf(p.notice).Add(job.ClockSlack)
	attempts := p.life.attempts
	for _, a := range slices.Backward(attempts[max(0, len(attempts)-maxAttempts):]) {
		w := window{a.Number, a.After, a.Before}
		if w.from.IsZero() {
			w.from = p.begin()
		}
		if w.to.IsZero() {
			w.to = end
		}
		all = append(all, w)
	}
	if all == nil {
		all = []window{{1, p.begin(), end}}
	}
	return all
}

// begin returns the earliest possible start of the first attempt.
func (p *pods) begin() time.Time {
	begin := p.job.Created
	if spans := p.life.Spans; len(spans) > 0 && (begin.IsZero() || spans[0].From.Before(begin)) {
		begin = spans[0].From
	}
	return begin.Add(-job.ClockSlack)
}

// fillNodes counts the nodes of the pods of the last attempt, unless there are too many to
// read.
func (p *pods) fillNodes(ctx context.Context) error {
	n := p.notice
	if n.Job.Nodes != 0 || n.Job.GPUs == 0 || len(p.life.attempts) == 0 {
		return nil
	}
	states := []job.State{job.Starting, job.Running, job.Restarting, job.Succeeded, job.Failed, job.Aborted}
	all, err := p.list(ctx, window{from: p.windows()[0].from}, states, maxBodies+1)
	if err != nil || len(all) > maxBodies {
		return err
	}
	nodes := map[string]bool{}
	for _, pod := range all {
		body, err := p.source.body(ctx, pod.ID, 0)
		if err != nil {
			return err
		}
		if node := job.ParseObject(body).Text("spec", "nodeName"); node != "" {
			nodes[node] = true
		}
	}
	n.Job.Nodes = len(nodes)
	return nil
}
