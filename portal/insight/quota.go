package insight

import (
	"github.com/vedette-io/vedette/portal/api"

	"github.com/vedette-io/vedette/portal/insight/words"
)

// quotaOf describes the quota of a ClusterQueue for what a job needs. holders hold quota of it.
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
	// The status of the queue follows its workloads with a delay, and counts those that are not
	// recorded.
	used = max(used, q.used[resource])
	return &api.Quota{
		Queue: q.name, Resource: resource, Total: q.quota[resource], Used: used, Needed: needs[resource],
		Owners: shares(holders, resource, used, s),
	}
}

// sentence says how the quota is.
func quotaSentence(q *api.Quota, cohort string, s *words.Speaker) string {
	left := max(0, q.Total-q.Used)
	text := func(n int64) string {
		if isGPU(q.Resource) || q.Resource == "cpu" {
			return words.Thousands(n)
		}
		return s.Amount(q.Resource, n)
	}
	key := "kueue.short"
	switch {
	case q.Needed > q.Total && cohort != "":
		key = "kueue.borrow"
	case q.Needed > q.Total:
		key = "kueue.large"
	case q.Needed <= left:
		key = "kueue.enough"
	}
	return s.Say(key, "needed", s.Amount(q.Resource, q.Needed), "queue", q.Queue, "left", text(left), "total", text(q.Total), "cohort", cohort)
}
