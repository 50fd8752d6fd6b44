package insight

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// Types of Volcano.
const (
	podGroupType     = "podgroups.scheduling.volcano.sh"
	volcanoQueueType = "queues.scheduling.volcano.sh"
	volcanoJobType   = "jobs.batch.volcano.sh"
)

// podGroup has the relevant fields of a PodGroup of Volcano.
type podGroup struct {
	queue, phase string
	needs        amounts
	message      string // why it cannot be scheduled
	said         time.Time
}

func readPodGroup(o job.Object) *podGroup {
	g := &podGroup{queue: o.Text("spec", "queue"), phase: o.Text("status", "phase"), needs: amounts{}}
	g.needs.add(o.Map("spec", "minResources"), 1)
	for name, n := range g.needs { // minResources may use the resource names of quotas
		if bare, ok := cutPrefix(name, "requests."); ok {
			delete(g.needs, name)
			g.needs[bare] = max(g.needs[bare], n)
		}
	}
	// Volcano does not reset the condition after the pods have a place.
	all := conditionsOf(o)
	placed := all["Scheduled"].Moment("lastTransitionTime")
	if c := all["Unschedulable"]; holds(c) && !placed.After(c.Moment("lastTransitionTime")) {
		g.message, g.said = c.Text("message"), c.Moment("lastTransitionTime")
	}
	return g
}

func cutPrefix(text, prefix string) (string, bool) {
	if len(text) > len(prefix) && text[:len(prefix)] == prefix {
		return text[len(prefix):], true
	}
	return text, false
}

// volcanoQueue has the relevant fields of a Queue of Volcano.
type volcanoQueue struct {
	name, state string
	// limit is the maximum of the queue, and used its allocation.
	limit, used amounts
}

func readVolcanoQueue(o job.Object) *volcanoQueue {
	q := &volcanoQueue{name: o.Text("metadata", "name"), state: o.Text("status", "state"), limit: amounts{}, used: amounts{}}
	q.limit.add(o.Map("spec", "capability"), 1)
	q.used.add(o.Map("status", "allocated"), 1)
	return q
}

// volcanoWait explains why Volcano keeps a job waiting. Missing objects are nil.
type volcanoWait struct {
	group    *podGroup
	queue    *volcanoQueue
	recorded map[string]bool
}

// volcano reads the PodGroup of a job and its queue.
func (p *parts) volcano(ctx context.Context, r *jobindex.Row) (w volcanoWait, err error) {
	if w.recorded, err = p.source.recorded(ctx); err != nil {
		return w, err
	}
	if w.recorded[podGroupType] {
		f := history.Filter{Cluster: r.ClusterUID, Types: []history.Type{typeOf(podGroupType)}, Namespace: r.Namespace, Owner: history.Owner{UID: r.UID}}
		body, err := p.newest(ctx, f, "")
		if err != nil {
			return w, err
		}
		if body != nil {
			w.group = readPodGroup(body)
		}
	}
	queue := r.Queue
	if w.group != nil && w.group.queue != "" {
		queue = w.group.queue
	}
	if w.recorded[volcanoQueueType] && queue != "" {
		f := history.Filter{Cluster: r.ClusterUID, Types: []history.Type{typeOf(volcanoQueueType)}}
		body, err := p.newest(ctx, f, queue)
		if err != nil || body == nil {
			return w, err
		}
		w.queue = readVolcanoQueue(body)
	}
	return w, nil
}

// newest returns the body of the newest object that matches a filter, with a name, or
// with any name.
func (p *parts) newest(ctx context.Context, f history.Filter, name string) (job.Object, error) {
	var found []history.Object
	err := p.source.objects(ctx, f, maxQueues, func(o *history.Object) {
		if name == "" || o.Name == name {
			found = append(found, *o)
		}
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	last := slices.MaxFunc(found, func(a, b history.Object) int { return a.Created.Compare(b.Created) })
	bodies, err := p.source.history.Bodies(ctx, []history.Object{last})
	return job.ParseObject(bodies[last.ID]), err
}

// quota describes the limit of a queue for the needs of a pod group; nil if it has none.
func (q *volcanoQueue) quota(needs amounts, s *words.Speaker) *api.Quota {
	var names []string
	for name := range needs {
		if q.limit[name] > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortFunc(names, func(a, b string) int {
		if isGPU(a) != isGPU(b) {
			return map[bool]int{true: -1, false: 1}[isGPU(a)]
		}
		return map[bool]int{true: -1, false: 1}[a < b]
	})
	name := names[0]
	return &api.Quota{
		Queue: q.name, Resource: name, Total: q.limit[name], Used: q.used[name], Needed: needs[name],
		Owners: shares(nil, name, q.used[name], s),
	}
}
