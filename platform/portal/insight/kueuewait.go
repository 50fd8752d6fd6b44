package insight

import (
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
	"github.com/vedette-io/vedette/wire"
)

// fromKueue answers from the objects of Kueue. It returns true if the job has its quota, so
// that the scheduler decides.
func (w *waiting) fromKueue(k *kueueWorld, self *workload) (placed bool, err error) {
	w.answer.Source, w.answer.AsOf = "Kueue", k.readAt
	queue := w.job.Labels[job.KueueQueueLabel]
	if self != nil && self.queue != "" {
		queue = self.queue
	}
	if !k.blind.IsZero() {
		w.miss("unknown.blind", "what", w.s.Say("unknown.what.old"), "type", workloadType, "ago", words.Span(w.at.Sub(k.blind)))
	}
	q := k.clusterQueueOf(w.job.Namespace, queue)
	if self != nil && self.reserved {
		w.reserved(self)
		if q != nil {
			_, err = w.quota(k, q, self)
		}
		return true, err
	}
	w.stopped(k, q, self, queue)
	switch {
	case q == nil:
		if len(w.said) == 0 {
			w.say("kueue.waits", "queue", queue)
		}
		w.missQueue(k, queue)
	case self == nil:
		w.say("kueue.new")
		if len(k.workloads) == 0 {
			w.missType("line", workloadType)
		}
	default:
		said := w.said
		if _, err := w.quota(k, q, self); err != nil {
			return false, err
		}
		if err := w.line(k, q, self); err != nil {
			return false, err
		}
		if len(said) > 0 { // quota and line do not matter while the queue starts nothing
			w.said = said
		}
	}
	if self != nil {
		w.story(self)
	}
	return false, nil
}

// reserved explains why a job with quota waits.
func (w *waiting) reserved(self *workload) {
	if len(self.checks) == 0 {
		w.say("kueue.reserved")
		return
	}
	key := "check.many"
	if len(self.checks) == 1 {
		key = "check.one"
	}
	w.say("kueue.checks", "checks", w.s.Say(key, "names", w.s.List(self.checks[:min(5, len(self.checks))])))
}

// missQueue explains why the ClusterQueue is unknown.
func (w *waiting) missQueue(k *kueueWorld, queue string) {
	switch {
	case len(k.localQueues) == 0:
		w.missType("line", localQueueType)
	case len(k.clusterQueues) == 0:
		w.missType("quota", clusterQueueType)
	default:
		if l := k.localQueues[wire.Key{Namespace: w.job.Namespace, Name: queue}]; l != nil {
			w.say("kueue.lost.cluster", "queue", queue, "clusterQueue", l.clusterQueue)
			return
		}
		w.say("kueue.lost", "queue", queue, "namespace", w.job.Namespace)
	}
}

// stopped explains that the queue starts nothing.
func (w *waiting) stopped(k *kueueWorld, q *clusterQueue, self *workload, queue string) {
	if q != nil { // a LocalQueue only reports that its ClusterQueue is not active
		w.queueStopped(q.name, q.stopped, q.inactive)
	}
	if l := k.localQueues[wire.Key{Namespace: w.job.Namespace, Name: queue}]; l != nil && len(w.said) == 0 {
		w.queueStopped(l.name, l.stopped, l.inactive)
	}
	if self != nil && self.inactive {
		w.blocked = true
		w.say("kueue.deactivated")
	}
}

func (w *waiting) queueStopped(name string, stopped bool, inactive string) {
	if w.blocked = w.blocked || stopped || inactive != ""; stopped {
		w.say("kueue.stopped", "queue", name)
	} else if inactive != "" {
		w.say("kueue.inactive", "queue", name, "reason", quoted(inactive))
	}
}

// quota describes the remaining quota.
func (w *waiting) quota(k *kueueWorld, q *clusterQueue, self *workload) (found bool, err error) {
	holders, err := holdersOf(w.parts.index, w.job.Cluster, w.job.ClusterUID, k.holders(q), w.viewer)
	if err != nil {
		return false, err
	}
	quota := quotaOf(q, self.needs, holders, w.s)
	if uncovered := q.uncovered(self.needs); !self.reserved && len(uncovered) > 0 && self.never() {
		w.blocked = true
		w.say("kueue.uncovered", "queue", q.name, "resources", w.s.List(uncovered[:min(5, len(uncovered))]))
		w.answer.Quota = quota
		return quota != nil, nil
	}
	if quota == nil {
		if !self.reserved {
			w.say("kueue.waits", "queue", q.name)
		}
		w.miss("unknown.noQuota", "queue", q.name)
		return false, nil
	}
	w.answer.Quota = quota
	if q.cohort != "" {
		w.miss("unknown.cohort", "queue", q.name, "cohort", q.cohort)
	}
	if !self.reserved {
		w.blocked = w.blocked || quota.Needed > quota.Total && q.cohort == "" || self.never()
		w.said = append(w.said, quotaSentence(quota, q, self, w.s))
	}
	return true, nil
}

// line describes the place in line.
func (w *waiting) line(k *kueueWorld, q *clusterQueue, self *workload) error {
	if k.tooMany {
		w.miss("unknown.tooMany", "n", words.Thousands(maxWorkloads))
		return nil
	}
	line, err := holdersOf(w.parts.index, w.job.Cluster, w.job.ClusterUID, k.line(q), w.viewer)
	if err != nil {
		return err
	}
	l := lineOf(line, self, q.name, w.resource(self), w.at)
	if l == nil {
		return nil
	}
	w.answer.Line = l
	n := higher(line, l.Place)
	place := []string{"nth", w.s.Nth(l.Place), "n", words.Thousands(int64(n))}
	switch {
	case w.blocked: // others overtake it
	case l.Place == 1:
		w.say("place.next")
	case n == 0:
		w.say("place.nth", place...)
	case n == 1:
		w.say("place.higher.one", place...)
	default:
		w.say("place.higher.many", place...)
	}
	if u := w.answer.Quota; q.strict && l.Place > 1 && !w.blocked && u != nil && u.Needed <= u.Total-u.Used {
		w.say("place.strict", "queue", q.name)
	}
	before := w.at.Add(-time.Hour)
	rows, err := w.waitedAt(k, q, before)
	if err != nil {
		return err
	}
	place1, known := placeAt(k, self, rows, before)
	if l.PlaceBefore = place1; !known {
		w.miss("unknown.before")
	}
	return nil
}

// resource returns the resource that a line is counted in: the one of the quota, otherwise the
// GPUs of the job.
func (w *waiting) resource(self *workload) string {
	if w.answer.Quota != nil {
		return w.answer.Quota.Resource
	}
	for name := range self.needs {
		if isGPU(name) {
			return name
		}
	}
	return ""
}

// waitedAt returns the jobs that waited in the LocalQueues of a ClusterQueue at an instant.
func (w *waiting) waitedAt(k *kueueWorld, q *clusterQueue, at time.Time) (rows []jobindex.Row, err error) {
	p := poolOf(k, w.job.Cluster, w.job.Namespace, w.job.Queue)
	query := jobindex.Query{Filter: p.filter(), At: at}
	query.Filter.Terms = append(query.Filter.Terms, waits())
	err = w.parts.index.View(func(v *jobindex.View) error {
		v.Each(query, func(r *jobindex.Row) bool {
			if k.clusterQueueOf(r.Namespace, r.Queue) == q {
				rows = append(rows, *r)
			}
			return true
		})
		return nil
	})
	return rows, err
}

// story describes the events of the workload, and the message of Kueue unless it repeats the
// lack of quota.
func (w *waiting) story(self *workload) {
	switch {
	case self.inactive:
		if self.evictedWhy != "" {
			w.say("kueue.says", "message", quoted(self.evictedWhy))
		}
		return
	case self.evicted == "" || self.evictedAt.IsZero():
	case strings.HasPrefix(self.evicted, "Deactivated"):
		w.say("kueue.reactivated", "ago", words.Span(w.at.Sub(self.evictedAt)))
	default:
		key := "kueue.evicted"
		if self.away || self.requeue.After(w.at) {
			key = "kueue.evicted.away"
		}
		w.say(key, "ago", words.Span(w.at.Sub(self.evictedAt)), "reason", eviction(self.evicted, w.s))
	}
	if self.requeue.After(w.at) {
		w.say("kueue.requeue", "in", words.Span(self.requeue.Sub(w.at)))
	}
	shown := w.answer.Quota != nil && self.short() || strings.Contains(self.message, "unavailable in ClusterQueue")
	known := shown || self.message != "" && self.message == self.evictedWhy || self.reason == "Inadmissible" && w.blocked
	if self.message != "" && !known {
		w.say("kueue.says", "message", quoted(self.message))
	}
}

// evictions are the keys of sentences by the reasons of evictions.
var evictions = map[string]string{
	"Preempted": "kueue.evicted.preempted", "PodsReadyTimeout": "kueue.evicted.notReady", "AdmissionCheck": "kueue.evicted.check",
	"ClusterQueueStopped": "kueue.evicted.stopped", "LocalQueueStopped": "kueue.evicted.stopped", "NodeFailures": "kueue.evicted.nodes",
}

// eviction returns the reason of an eviction in plain words.
func eviction(reason string, s *words.Speaker) string {
	if key := evictions[reason]; key != "" {
		return s.Say(key)
	}
	return reason
}
