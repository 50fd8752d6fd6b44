package insight

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// said is a message of the scheduler about a pod.
type said struct {
	message string
	at      time.Time
}

const (
	// maxPodBodies is the maximum number of waiting pods that are read of a job. They
	// usually have the same message.
	maxPodBodies = 20
	// maxEvents is the maximum number of events of a namespace that are searched.
	maxEvents = 1000
)

// scheduling is the known state of the scheduling of a job.
type scheduling struct {
	pods    int // recorded ones
	waiting int // those without a node
	last    said
	// gates are the names of the scheduling gates of a waiting pod. The scheduler ignores the
	// pod until they are removed.
	gates []string
}

// scheduling reads the last messages of the scheduler about the pods of a job.
func (p *parts) scheduling(ctx context.Context, r *jobindex.Row, v *Viewer) (s scheduling, err error) {
	pods, err := p.pods(ctx, r, v)
	if err != nil {
		return s, err
	}
	var waiting []history.Object
	for _, pod := range pods {
		if pod.Presence != history.Present || job.State(pod.State).Final() {
			continue
		}
		s.pods++
		if job.State(pod.State) == job.Queued {
			waiting = append(waiting, pod)
		}
	}
	if s.waiting = len(waiting); s.waiting == 0 {
		return s, nil
	}
	waiting = waiting[:min(len(waiting), maxPodBodies)]
	bodies, err := p.source.history.Bodies(ctx, waiting)
	if err != nil {
		return s, err
	}
	for _, body := range bodies {
		pod := job.ParseObject(body)
		c := conditionsOf(pod)["PodScheduled"]
		switch {
		case c.Text("reason") == "SchedulingGated":
			s.gates = s.gates[:0]
			for _, g := range pod.List("spec", "schedulingGates") {
				s.gates = append(s.gates, g.Text("name"))
			}
		case c.Text("status") == "False":
			s.hear(said{c.Text("message"), c.Moment("lastTransitionTime")})
		}
	}
	return s, p.events(ctx, r, waiting, &s)
}

// hear keeps the later of two messages. An empty one is ignored.
func (s *scheduling) hear(other said) {
	later := cmp.Or(other.at.Compare(s.last.at), strings.Compare(other.message, s.last.message)) > 0
	if other.message != "" && (s.last.message == "" || later) {
		s.last = other
	}
}

// eventTypes are the types of events: the same objects in two groups.
var eventTypes = []history.Type{{Resource: "events"}, {Group: "events.k8s.io", Resource: "events"}}

// events reads the newest events FailedScheduling about pods. The name of an event begins with
// the name of its object.
func (p *parts) events(ctx context.Context, r *jobindex.Row, pods []history.Object, s *scheduling) error {
	recorded, err := p.source.recorded(ctx)
	if err != nil {
		return err
	}
	types := slices.DeleteFunc(slices.Clone(eventTypes), func(t history.Type) bool { return !recorded[t.String()] })
	if len(types) == 0 {
		return nil
	}
	f := history.Filter{Cluster: r.ClusterUID, Types: types, Namespace: r.Namespace}
	page, err := p.source.history.ListObjects(ctx, f, history.Paging{Limit: maxEvents})
	if err != nil {
		return err
	}
	var about []history.Object
	for _, e := range page.Items {
		name, _, _ := cutLast(e.Name, ".")
		named := slices.ContainsFunc(pods, func(pod history.Object) bool { return pod.Name == name })
		if named && len(about) < 4*maxPodBodies {
			about = append(about, e)
		}
	}
	bodies, err := p.source.history.Bodies(ctx, about)
	if err != nil {
		return err
	}
	for _, body := range bodies {
		if e := job.ParseObject(body); e.Text("reason") == "FailedScheduling" {
			s.hear(said{cmp.Or(e.Text("message"), e.Text("note")), eventTime(e)})
		}
	}
	return nil
}

// eventTime returns when the source of an event last saw it.
func eventTime(e job.Object) (last time.Time) {
	for _, path := range [][]string{{"series", "lastObservedTime"}, {"lastTimestamp"}, {"deprecatedLastTimestamp"}, {"eventTime"}} {
		if at := e.Moment(path...); at.After(last) {
			last = at
		}
	}
	return cmp.Or(last, e.Moment("metadata", "creationTimestamp"))
}

func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// nodes describes a placement.
func (p *placement) nodes(at time.Time, s *words.Speaker) []api.NodeReason {
	all := []api.NodeReason{}
	for _, r := range p.reasons {
		all = append(all, api.NodeReason{Nodes: r.nodes, Reason: r.reason, Plain: r.plain(s), Said: at})
	}
	return all
}

// sentence explains why no node fits.
func (p *placement) sentence(s *words.Speaker) string {
	nodes := s.Count("node", int64(p.all))
	switch {
	case p.all == 0:
		return s.Say("scheduler.empty")
	case p.fit > 0:
		return s.Say("scheduler.fits", "fit", words.Thousands(int64(p.fit)), "nodes", nodes)
	}
	var reasons []string
	for _, r := range p.plain(s) {
		text := r.reason
		if r.nodes >= 0 {
			text = s.Say("reason", "reason", text, "nodes", words.Thousands(int64(r.nodes)))
		}
		reasons = append(reasons, text)
	}
	return s.Say("scheduler.none", "nodes", nodes, "reasons", s.List(reasons))
}
