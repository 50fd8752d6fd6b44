package insight

import (
	"cmp"
	"math"
	"slices"

	"github.com/vedette-io/vedette/job"
)

// clusterQueue has the relevant fields of a ClusterQueue of Kueue.
type clusterQueue struct {
	name, cohort string
	// strict means that no workload overtakes one that does not fit.
	strict  bool
	stopped bool
	// inactive is the reason why the queue admits nothing; empty if it is active.
	inactive string
	// flavors counts the flavors of a resource. A pod set gets only one of them.
	flavors map[string]int
	// quota is the nominal quota, and used the reserved quota, both summed over the
	// flavors.
	quota, used amounts
	usedKnown   bool
}

// readClusterQueue reads the body of a ClusterQueue, of any version of its API.
func readClusterQueue(o job.Object) *clusterQueue {
	q := &clusterQueue{
		name: o.Text("metadata", "name"), cohort: o.Text("spec", "cohort"), strict: o.Text("spec", "queueingStrategy") == "StrictFIFO",
		stopped: stopped(o), inactive: inactive(o), quota: amounts{}, used: amounts{}, flavors: map[string]int{},
	}
	if q.cohort == "" {
		q.cohort = o.Text("spec", "cohortName") // from v1beta2 on
	}
	for _, g := range o.List("spec", "resourceGroups") {
		for _, f := range g.List("flavors") {
			for _, r := range f.List("resources") {
				name := r.Text("name")
				q.flavors[name]++
				q.quota[name] = min(maxAmount, q.quota[name]+quantity(name, r.At("nominalQuota")))
			}
		}
	}
	usage := o.List("status", "flavorsReservation")
	if usage == nil {
		usage = o.List("status", "flavorsUsage")
	}
	for _, f := range usage {
		q.usedKnown = true
		for _, r := range f.List("resources") {
			name := r.Text("name")
			q.used[name] = min(maxAmount, q.used[name]+quantity(name, r.At("total")))
		}
	}
	return q
}

// stopped reports whether the policy of a queue stops it.
func stopped(o job.Object) bool {
	policy := o.Text("spec", "stopPolicy")
	return policy != "" && policy != "None"
}

// inactive returns the reason why a queue is not active.
func inactive(o job.Object) string {
	if c := conditionsOf(o)["Active"]; c.Text("status") == "False" {
		return cmp.Or(c.Text("message"), c.Text("reason"), "?")
	}
	return ""
}

// resourceFor returns the resource of the quota for a sentence: a resource that does not fit
// into the remaining quota, otherwise GPUs if the job needs them, otherwise the resource with
// the smallest remaining share. It returns "" if the queue has a quota for none of them.
func (q *clusterQueue) resourceFor(needs amounts) string {
	var names []string
	for name := range needs {
		if _, covered := q.quota[name]; covered {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	best, least := "", math.Inf(1)
	for _, name := range names {
		free := 1 - float64(q.used[name])/float64(max(1, q.quota[name]))
		if isGPU(name) {
			free -= 1e6
		}
		if q.used[name]+needs[name] > q.quota[name] {
			free -= 1e12
		}
		if free < least {
			best, least = name, free
		}
	}
	return best
}

// uncovered returns the resources without a quota in the queue.
func (q *clusterQueue) uncovered(needs amounts) (names []string) {
	for name := range needs {
		if _, covered := q.quota[name]; !covered {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// localQueue has the relevant fields of a LocalQueue of Kueue.
type localQueue struct {
	namespace, name, clusterQueue string
	stopped                       bool
	inactive                      string
}

func readLocalQueue(o job.Object) *localQueue {
	return &localQueue{
		namespace: o.Text("metadata", "namespace"), name: o.Text("metadata", "name"), clusterQueue: o.Text("spec", "clusterQueue"),
		stopped: stopped(o), inactive: inactive(o),
	}
}
