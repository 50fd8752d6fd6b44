package insight

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// holder is a job that holds or needs quota of a queue, with the facts that the person may see.
type holder struct {
	*workload
	row jobindex.Row
	// known means that the job is in the index, and seen that the person may see it.
	known, seen bool
}

// holdersOf finds the jobs of workloads in the index.
func holdersOf(index *jobindex.Index, cluster, clusterUID string, all []*workload, v *Viewer) (found []holder, err error) {
	type verdict struct {
		since time.Time
		some  bool
	}
	sees := map[string]verdict{}
	for _, w := range all {
		if _, asked := sees[w.namespace]; !asked {
			since, some := v.since(cluster, "", w.namespace)
			sees[w.namespace] = verdict{since, some}
		}
	}
	err = index.View(func(view *jobindex.View) error {
		for _, w := range all {
			of := sees[w.namespace]
			h := holder{workload: w, seen: of.some && !w.created.Before(of.since)}
			if h.seen && w.jobUID != "" {
				row, known := view.Job(clusterUID, w.jobUID, time.Time{})
				if known && row.Namespace == w.namespace && !row.Submitted.Before(of.since) { // an owner elsewhere is a claim
					h.row, h.known = row, true
				}
			}
			found = append(found, h)
		}
		return nil
	})
	return found, err
}

// shares returns the owners of the used quota of a resource, the largest first. The shares add up
// to used: usage that the person may not see, or that no workload explains, belongs to others.
func shares(all []holder, resource string, used int64, s *words.Speaker) []api.QuotaShare {
	byOwner := map[string]int64{}
	left := used
	for _, h := range all {
		if n := h.needs[resource]; h.known && h.row.Owner != "" && n > 0 {
			byOwner[h.row.Owner] += n
			left -= n
		}
	}
	rows := []api.QuotaShare{}
	for owner, n := range byOwner {
		rows = append(rows, api.QuotaShare{Owner: owner, Used: n})
	}
	slices.SortFunc(rows, func(a, b api.QuotaShare) int {
		if a.Used != b.Used {
			return int(max(-1, min(1, b.Used-a.Used)))
		}
		if a.Owner < b.Owner {
			return -1
		}
		return 1
	})
	if len(rows) > maxShares {
		for _, r := range rows[maxShares:] {
			left += r.Used
		}
		rows = rows[:maxShares]
	}
	if left > 0 {
		rows = append(rows, api.QuotaShare{Owner: s.Say("others"), Used: left, Others: true})
	}
	return rows
}

// maxShares is the maximum number of owners of a quota that are named.
const maxShares = 20
