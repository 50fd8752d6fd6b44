package insight

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// waiting builds the answer to why a job waits.
type waiting struct {
	*parts
	job    *jobindex.Row
	viewer *Viewer
	s      *words.Speaker
	at     time.Time // the instant of the answer
	answer api.Waiting
	said   []string
	// blocked means that the job does not start unless somebody changes something else.
	blocked bool
}

// say adds a sentence.
func (w *waiting) say(key string, named ...string) { w.said = append(w.said, w.s.Say(key, named...)) }

// miss adds an unknown fact.
func (w *waiting) miss(key string, named ...string) {
	w.answer.Unknown = append(w.answer.Unknown, w.s.Say(key, named...))
}

// missType adds a type that is not recorded.
func (w *waiting) missType(what, name string) {
	w.miss("unknown.type", "what", w.s.Say("unknown.what."+what), "type", name, "cluster", w.job.Cluster)
}

// fromScheduler answers from the scheduler's messages about the pods of the job.
func (w *waiting) fromScheduler(ctx context.Context) error {
	s, err := w.scheduling(ctx, w.job, w.viewer)
	if err != nil {
		return err
	}
	p, ok := readPlacement(s.last.message)
	switch {
	case s.last.message == "" && len(s.gates) > 0:
		w.say("scheduler.gated", "gates", w.s.List(s.gates[:min(5, len(s.gates))]))
	case s.last.message == "":
		if w.job.State == job.Starting && len(w.said) == 0 {
			if err := w.starting(ctx); err != nil {
				return err
			}
		}
		recorded, err := w.source.recorded(ctx)
		if err != nil {
			return err
		}
		if !recorded["pods"] {
			w.missType("nodes", "pods")
		}
		return nil
	case ok:
		w.answer.Nodes = p.nodes(s.last.at, w.s)
		w.said = append(w.said, p.sentence(w.s))
	default:
		w.say("scheduler.says", "message", quoted(s.last.message))
	}
	if w.answer.Source == "" {
		w.answer.Source, w.answer.AsOf = "scheduler", s.last.at
	}
	return nil
}

// starting says why the pods of the job have not started.
func (w *waiting) starting(ctx context.Context) error {
	objects, err := w.source.history.JobsByID(ctx, []int64{w.job.ID})
	switch {
	case err != nil:
		return err
	case len(objects) == 0 || objects[0].State != string(job.Starting) || objects[0].Reason == "":
		w.say("starting")
	case objects[0].Message == "":
		w.say("starting.reason", "reason", objects[0].Reason)
	default:
		w.say("starting.message", "reason", objects[0].Reason, "message", quoted(objects[0].Message))
	}
	return nil
}

// fromVolcano answers from Volcano's PodGroup and Queue. It returns false if neither is
// recorded.
func (w *waiting) fromVolcano(ctx context.Context) (bool, error) {
	v, err := w.volcano(ctx, w.job)
	if err != nil {
		return false, err
	}
	if v.group == nil && w.job.Type != volcanoJobType {
		return false, nil
	}
	if v.group == nil {
		w.missType("nodes", podGroupType)
	}
	if v.queue == nil {
		w.missType("quota", volcanoQueueType)
	}
	if v.group == nil && v.queue == nil {
		return false, nil
	}
	w.answer.Source, w.answer.AsOf = "Volcano", w.at
	if q := v.queue; q != nil {
		needs := amounts{}
		if v.group != nil {
			needs = v.group.needs
		}
		w.answer.Quota = q.quota(needs, w.s)
		if q.state != "" && q.state != "Open" {
			w.blocked = true
			w.say("volcano.closed", "queue", q.name, "state", q.state)
		}
	}
	switch quota := w.answer.Quota; {
	case quota != nil:
		key, left := "volcano.short", max(0, quota.Total-quota.Used)
		if quota.Needed <= left {
			key = "volcano.enough"
		}
		w.say(key, "needed", w.s.Amount(quota.Resource, quota.Needed), "queue", quota.Queue, "left", words.Thousands(left), "total", words.Thousands(quota.Total))
	case v.group != nil && v.group.queue != "":
		w.say("volcano.waits", "queue", v.group.queue)
	}
	if v.queue != nil && w.answer.Quota == nil {
		w.miss("unknown.noQuota", "queue", v.queue.name)
	}
	w.miss("unknown.volcanoLine")
	if v.group == nil || v.group.message == "" {
		return true, nil
	}
	g, ok := readGang(v.group.message)
	if !ok {
		g = gang{origin: v.group.message}
	}
	if p, ok := readPlacement(g.origin); ok {
		w.answer.Nodes = p.nodes(v.group.said, w.s)
	}
	w.said = append(w.said, g.sentences(w.s)...)
	return true, nil
}

// index adds the facts of the index: the queue, and how many of its jobs wait longer. This is not a
// line, because the order of the queue is unknown.
func (w *waiting) index() {
	switch {
	case w.job.State == job.Suspended:
		w.say("suspended")
		return
	case w.job.State == job.Starting:
		w.say("starting")
		return
	case w.job.Queue == "":
		w.say("index.noQueue")
		return
	}
	w.say("index.queue", "queue", w.job.Queue)
	older := int64(0)
	p := &pool{cluster: w.job.Cluster, queues: []string{w.job.Queue}}
	q := jobindex.Query{Filter: p.filter(), At: w.viewer.At, Brief: true}
	q.Filter.Terms = append(q.Filter.Terms, waits())
	err := w.parts.index.View(func(v *jobindex.View) error {
		v.Each(q, func(r *jobindex.Row) bool {
			if r.Submitted.Before(w.job.Submitted) && r.UID != w.job.UID {
				older++
			}
			return true
		})
		return nil
	})
	if err != nil {
		return // the sentence about the queue is true without the line
	}
	if older == 0 {
		w.say("index.first")
	} else {
		w.said = append(w.said, w.s.Count("index.older", older))
	}
	w.miss("unknown.order")
}

// waits is the term of a filter for the jobs that wait.
func waits() jobfilter.Term {
	t := jobfilter.Term{Key: jobfilter.State}
	for _, s := range job.WaitingStates() {
		t.Values = append(t.Values, string(s))
	}
	return t
}
