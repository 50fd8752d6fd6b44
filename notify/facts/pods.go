package facts

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
)

// maxAttempts is the maximum number of attempts that are compared.
const maxAttempts = 5

// slack is the maximum difference between the clocks of nodes and of the control plane.
const slack = 5 * time.Second

// pods finds the pods of a job.
type pods struct {
	source source
	job    *feed.Object
	spec   *jobspec.Spec
	notice *message.Notice
	life   *lifeOf
	read   int // number of bodies
}

// filter selects the pods of the job. It returns false if no field identifies them.
func (p *pods) filter() (history.Filter, bool) {
	f := history.Filter{Cluster: p.job.ClusterUID, Types: []history.Type{{Resource: "pods"}}, Namespace: p.job.Namespace}
	switch {
	case p.job.Type.Group == "" && p.job.Type.Resource == "pods", p.job.UID == "":
		return f, false
	case p.spec.PodLabels == nil:
		f.Owner = history.Owner{UID: p.job.UID}
	}
	for name, value := range p.spec.PodLabels {
		if value == "" {
			return f, false
		}
		f.Labels = append(f.Labels, history.Label{Name: name, Value: value})
	}
	return f, true
}

// list returns at most limit pods of the job that are in one of some states. It reads one
// more page if the first one is empty.
func (p *pods) list(ctx context.Context, f history.Filter, order history.Order, limit int) ([]history.Object, error) {
	var all []history.Object
	paging := history.Paging{Limit: limit, Order: order}
	for range 2 {
		page, err := p.source.history.ListObjects(ctx, f, paging)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if paging.After = page.Next; len(all) > 0 || page.Next == "" {
			break
		}
	}
	return all[:min(len(all), limit)], nil
}

// fillCause sets the cause in a notice about an end: the ending of the pod that ended
// first in the last attempt, else the cause of the job itself.
func (p *pods) fillCause(ctx context.Context) error {
	n := p.notice
	if n.Cause.Reason != "" || n.Kind != message.Failed && n.Kind != message.Restarted && n.Kind != message.Aborted {
		return nil
	}
	own := ofTransition(n.Reason, n.Message)
	if own.Reason != "" && own.Reason != message.ExitError {
		n.Cause = own
	}
	if p.job.Type.Group == "" && p.job.Type.Resource == "pods" {
		body, err := p.source.body(ctx, p.job.ID, 0)
		if err == nil && body != nil {
			if e := readPod(body); e.bad() {
				n.Cause = e.cause
			}
		}
		return err
	}
	if n.Kind == message.Aborted || n.Cause.Reason == message.DeadlineExceeded || n.Cause.Reason == message.OverQuota {
		return nil // its pods ended as a consequence
	}
	byAttempt, err := p.endings(ctx)
	if err != nil {
		return err
	}
	last := p.life.attemptAt(momentOf(n))
	e, ok := byAttempt[last]
	if !ok {
		return nil
	}
	n.Cause = e.cause
	p.fillSame(byAttempt, last)
	return nil
}

// fillSame sets the attempts up to the last one that ended in the same way.
func (p *pods) fillSame(byAttempt map[int]ending, last int) {
	e := byAttempt[last]
	var same []int
	for attempt := last; attempt >= 1; attempt-- {
		other, ok := byAttempt[attempt]
		if !ok || !e.sameAs(&other) {
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

// endings returns the ending of each attempt: that of the pod that ended first.
func (p *pods) endings(ctx context.Context) (map[int]ending, error) {
	f, ok := p.filter()
	if !ok {
		return nil, nil
	}
	found := map[int]ending{}
	for _, states := range [][]state.State{{state.Failed}, {state.Restarting, state.Starting, state.Running, state.Deleted, state.Aborted}} {
		f.States = states
		// The newest attempt is the most important, so its pods are read first.
		for _, window := range p.windows() {
			if _, known := found[window.attempt]; known || p.read >= maxBodies {
				continue
			}
			f.Since, f.Until = window.from, time.Time{}
			if states[0] == state.Failed {
				f.Until = window.to.Add(slack)
			}
			all, err := p.list(ctx, f, history.OldestFirst, perWindow)
			if err != nil {
				return nil, err
			}
			if err := p.first(ctx, all, window, found); err != nil {
				return nil, err
			}
		}
		if _, known := found[p.life.attemptAt(momentOf(p.notice))]; known {
			break
		}
	}
	return found, nil
}

// perWindow is the maximum number of pods of an attempt that are read.
const perWindow = 6

// first adds the pod that ended first in an attempt.
func (p *pods) first(ctx context.Context, all []history.Object, w window, found map[int]ending) error {
	for _, pod := range all {
		if p.read++; p.read > maxBodies {
			return nil
		}
		body, err := p.source.body(ctx, pod.ID, 0)
		if err != nil {
			return err
		}
		e := readPod(body)
		if !e.bad() {
			continue
		}
		if e.at.IsZero() || pod.State == string(state.Failed) { // the history is more precise than a pod's whole seconds
			e.at = pod.Since
		}
		if !e.at.After(w.from) || e.at.After(w.to) {
			continue
		}
		if other, ok := found[w.attempt]; !ok || e.at.Before(other.at) {
			found[w.attempt] = e
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
// whole life is one attempt. An attempt ends between the report of its restart and the
// next start; using the middle tolerates different clocks.
func (p *pods) windows() (all []window) {
	end := momentOf(p.notice).Add(slack)
	l := p.life
	for i := len(l.attempts); i > max(0, len(l.attempts)-maxAttempts); i-- {
		begin := p.begin()
		if i > 1 {
			begin = l.restarts[i-2].Add(l.attempts[i-1].Sub(l.restarts[i-2]) / 2)
		}
		all = append(all, window{i, begin, end})
		end = begin
	}
	if all == nil {
		all = []window{{1, p.begin(), end}}
	}
	return all
}

// begin returns the earliest possible start of the first attempt.
func (p *pods) begin() time.Time {
	begin := p.job.Created
	if spans := p.life.spans; len(spans) > 0 && (begin.IsZero() || spans[0].From.Before(begin)) {
		begin = spans[0].From
	}
	return begin.Add(-slack)
}

// fillNodes counts the nodes of the pods of the last attempt, unless there are too many to
// read.
func (p *pods) fillNodes(ctx context.Context) error {
	n := p.notice
	f, ok := p.filter()
	if !ok || n.Job.Nodes != 0 || n.Job.GPUs == 0 || len(p.life.attempts) == 0 {
		return nil
	}
	f.Since = p.windows()[0].from
	f.States = []state.State{state.Starting, state.Running, state.Restarting, state.Succeeded, state.Failed, state.Aborted}
	all, err := p.list(ctx, f, history.NewestFirst, maxBodies+1)
	if err != nil || len(all) > maxBodies {
		return err
	}
	nodes := map[string]bool{}
	for _, pod := range all {
		body, err := p.source.body(ctx, pod.ID, 0)
		if err != nil {
			return err
		}
		if node := jobspec.Parse(body).Text("spec", "nodeName"); node != "" {
			nodes[node] = true
		}
	}
	n.Job.Nodes = len(nodes)
	return nil
}
