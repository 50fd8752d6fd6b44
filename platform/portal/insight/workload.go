package insight

import (
	"cmp"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// kueueGroup is the API group of Kueue.
const kueueGroup = "kueue.x-k8s.io"

// workload has the relevant fields of a Workload of Kueue.
type workload struct {
	id                       int64
	uid, namespace, name     string
	jobUID, jobKind, jobName string // of its controller
	queue                    string // the LocalQueue
	clusterQueue             string // that has reserved quota for it
	class                    string // of its priority
	priority                 int64
	created                  time.Time
	// order is the time by which Kueue orders: the creation time, or the time of an eviction
	// that moved the workload to the end.
	order time.Time
	// needs are its requests, or the quota that it holds.
	needs              amounts
	reserved, finished bool
	inactive           bool // spec.active is false
	reason, message    string
	said               time.Time // when Kueue wrote them
	requeue            time.Time // Kueue does not retry before; zero: no limit
	evicted            string    // reason of the last eviction
	evictedAt          time.Time
	evictedWhy         string   // Kueue's message about it
	away               bool     // Kueue ignores it until something changes
	checks             []string // admission checks that have not passed
}

// jobKey returns the key of a job of a cluster for its workloads. An owner counts within the
// namespace of the workload.
func jobKey(namespace, uid string) string { return namespace + "/" + uid }

// jobKey returns the key of the job of a workload.
func (w *workload) jobKey() string { return jobKey(w.namespace, w.jobUID) }

// conditionsOf returns the conditions of an object by their types.
func conditionsOf(o job.Object) map[string]job.Object {
	all := map[string]job.Object{}
	for _, c := range o.List("status", "conditions") {
		all[c.Text("type")] = c
	}
	return all
}

func holds(c job.Object) bool { return c.Text("status") == "True" }

// readWorkload reads the body of a Workload, of any version of its API.
func readWorkload(o job.Object) *workload {
	w := &workload{
		uid: o.Text("metadata", "uid"), namespace: o.Text("metadata", "namespace"), name: o.Text("metadata", "name"),
		queue: o.Text("spec", "queueName"), class: o.Text("spec", "priorityClassName"), created: o.Moment("metadata", "creationTimestamp"),
		clusterQueue: o.Text("status", "admission", "clusterQueue"), requeue: o.Moment("status", "requeueState", "requeueAt"),
	}
	if ref := o.Map("spec", "priorityClassRef"); ref != nil && w.class == "" { // from v1beta2 on
		w.class = ref.Text("name")
	}
	for _, owner := range o.List("metadata", "ownerReferences") {
		if controls, _ := owner.Scalar("controller"); controls == "true" {
			w.jobUID, w.jobKind, w.jobName = owner.Text("uid"), owner.Text("kind"), owner.Text("name")
		}
	}
	if n, ok := o.Number("spec", "priority"); ok {
		w.priority = int64(n)
	}
	active, set := o.Scalar("spec", "active")
	w.inactive = set && active == "false"
	conditions := conditionsOf(o)
	w.finished = holds(conditions["Finished"])
	quota := conditions["QuotaReserved"]
	w.reserved = holds(quota)
	if !w.reserved {
		w.clusterQueue = ""
		w.reason, w.message, w.said = quota.Text("reason"), quota.Text("message"), quota.Moment("lastTransitionTime")
	}
	w.readOrder(conditions)
	w.needs = w.readNeeds(o)
	for _, c := range o.List("status", "admissionChecks") {
		if c.Text("state") != "Ready" {
			w.checks = append(w.checks, c.Text("name"))
		}
	}
	return w
}

// readOrder reads the evictions, and the time by which Kueue orders.
func (w *workload) readOrder(conditions map[string]job.Object) {
	w.order = w.created
	if e := conditions["Evicted"]; holds(e) {
		w.evicted, w.evictedAt, w.evictedWhy = e.Text("reason"), e.Moment("lastTransitionTime"), e.Text("message")
	}
	w.away = conditions["Requeued"].Text("status") == "False"
	// With the default configuration these two move a workload to the end.
	if (w.evicted == "PodsReadyTimeout" || w.evicted == "AdmissionCheck") && !w.evictedAt.IsZero() {
		w.order = w.evictedAt
	}
}

// readNeeds returns the first that exists of the quota that a workload holds, the requests
// that Kueue considered, and the requests of its pod sets.
func (w *workload) readNeeds(o job.Object) amounts {
	needs := amounts{}
	if w.reserved {
		for _, a := range o.List("status", "admission", "podSetAssignments") {
			needs.add(a.Map("resourceUsage"), 1)
		}
		return needs
	}
	if requests := o.List("status", "resourceRequests"); len(requests) > 0 {
		for _, r := range requests {
			needs.add(r.Map("resources"), 1)
		}
		return needs
	}
	for _, set := range o.List("spec", "podSets") {
		for name, n := range podNeeds(set.Map("template", "spec")) {
			needs[name] = min(maxAmount, needs[name]+n*int64(set.Count(1, "count")))
		}
	}
	return needs
}

// podNeeds returns the requests of a pod: the sum of its containers, or its largest init
// container.
func podNeeds(spec job.Object) amounts {
	needs := amounts{}
	for _, c := range spec.List("containers") {
		for name, n := range containerNeeds(c) {
			needs[name] = min(maxAmount, needs[name]+n)
		}
	}
	for _, c := range spec.List("initContainers") {
		for name, n := range containerNeeds(c) {
			needs[name] = max(needs[name], n)
		}
	}
	for name, n := range needs { // so that a sum over pods cannot overflow
		needs[name] = min(n, maxAmount>>20)
	}
	return needs
}

// containerNeeds returns the requests of a container. A missing request defaults to the
// limit.
func containerNeeds(c job.Object) amounts {
	needs := amounts{}
	needs.add(c.Map("resources", "limits"), 1)
	requests := c.Map("resources", "requests")
	for name := range requests {
		delete(needs, name)
	}
	needs.add(requests, 1)
	return needs
}

// short reports that Kueue found too little quota at its last attempt.
func (w *workload) short() bool {
	return strings.Contains(w.message, "insufficient unused quota") || strings.Contains(w.message, "insufficient quota")
}

// never reports that Kueue found that the workload fits into no quota of its queue and cohort.
func (w *workload) never() bool {
	for _, says := range []string{"> maximum capacity", "unavailable in ClusterQueue", "doesn't match ClusterQueue selector"} {
		if strings.Contains(w.message, says) {
			return true
		}
	}
	return false
}

// waits reports whether a workload is in the line of its queue.
func (w *workload) waits() bool { return !w.reserved && !w.inactive && !w.away }

// compare orders workloads of one ClusterQueue like Kueue.
func (w *workload) compare(other *workload) int {
	return cmp.Or(cmp.Compare(other.priority, w.priority), w.order.Compare(other.order), cmp.Compare(w.uid, other.uid))
}
