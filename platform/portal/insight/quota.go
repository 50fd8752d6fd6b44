package insight

import (
	"github.com/vedette-io/vedette/platform/portal/api"

	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// quotaOf describes the quota of a ClusterQueue for the needs of a job. holders hold quota of it.
// It returns nil if the queue has no quota for any of it.
func quotaOf(q *clusterQueue, needs amounts, holders []holder, s *words.Speaker) *api.Quota {
	resource := q.resourceFor(needs)
	if resource == "" {
		return nil
	}
	used := int64(0)
	for _, h := range holders {
		used += h.needs[resource]
	}
	// The status of the queue lags behind its workloads, and counts unrecorded ones.
	used = max(used, q.used[resource])
	return &api.Quota{
		Queue: q.name, Resource: resource, Total: q.quota[resource], Used: used, Needed: needs[resource],
		Owners: shares(holders, resource, used, s),
	}
}

// quotaSentence describes the quota for a workload. If Kueue finds too little although the sum
// over flavors suffices, no flavor has enough, or other queues of the cohort have borrowed.
func quotaSentence(q *api.Quota, of *clusterQueue, self *workload, s *words.Speaker) string {
	left := max(0, q.Total-q.Used)
	text := func(n int64) string {
		if isGPU(q.Resource) || q.Resource == "cpu" {
			return words.Thousands(n)
		}
		return s.Amount(q.Resource, n)
	}
	key, short := "kueue.short", self.short()
	switch {
	case q.Needed > q.Total && of.cohort != "" && self.never():
		key = "kueue.large.cohort"
	case q.Needed > q.Total && of.cohort != "":
		key = "kueue.borrow"
	case q.Needed > q.Total:
		key = "kueue.large"
	case q.Needed > left:
	case !short:
		key = "kueue.enough"
	case of.flavors[q.Resource] > 1 && self.never():
		key = "kueue.flavors.large"
	case of.flavors[q.Resource] > 1:
		key = "kueue.flavors"
	case of.cohort != "":
		key = "kueue.lent"
	default:
		key = "kueue.left"
	}
	return s.Say(key, "needed", s.Amount(q.Resource, q.Needed), "queue", q.Queue, "left", text(left), "total", text(q.Total), "cohort", of.cohort)
}
