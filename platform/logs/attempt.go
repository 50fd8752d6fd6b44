package logs

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// numbering gives each pod the number of the attempt in which its containers first ran.
type numbering struct {
	first map[string]int // by the UID of the pod, from 1
	slots map[string]*podState
	free  []*podState // failed pods that no later pod has replaced
}

// FirstAttempts returns, by pod UID, the number of the attempt in which the containers of
// each pod first ran. The nth restart of a container belongs to the attempt n later.
// Missing pods lower the numbers.
func FirstAttempts(pods []*corev1.Pod) map[string]int {
	states := make([]*podState, len(pods))
	for i, p := range pods {
		states[i] = podStateOf(p)
	}
	return attemptsOf(states)
}

// attemptsOf numbers the attempts of pods: the containers of a pod begin in the attempt
// after the last attempt of the pod that it replaces. A pod replaces the previous pod with
// the same index or the same name. If pods have neither, it replaces the first failed pod
// that was not yet replaced. The restart count in the labels of a JobSet, and the order of
// the clusters of a RayJob, give a minimum.
func attemptsOf(pods []*podState) map[string]int {
	sorted := slices.SortedFunc(slices.Values(pods), func(a, b *podState) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	n := numbering{first: map[string]int{}, slots: map[string]*podState{}}
	var clusters []string
	for _, p := range sorted {
		if c := p.Labels[rayCluster]; c != "" && !slices.Contains(clusters, c) {
			clusters = append(clusters, c)
		}
		round := max(slices.Index(clusters, p.Labels[rayCluster]), 0)
		if r, err := strconv.Atoi(p.Labels[setRoundLabel]); err == nil && r > 0 {
			round = max(round, min(r, 1<<20))
		}
		n.add(p, round)
	}
	return n.first
}

// add numbers a pod that was created after all earlier ones.
func (n *numbering) add(p *podState, round int) {
	slot := slotOf(p)
	before := n.slots[cmp.Or(slot, "name/"+p.Name)]
	if before == nil && slot == "" {
		i := slices.IndexFunc(n.free, func(f *podState) bool { return !f.EndedAt.After(p.Created) })
		if i >= 0 {
			before = n.free[i]
		}
	}
	n.first[p.UID] = round + 1
	if before != nil {
		n.first[p.UID] = max(round+1, n.first[before.UID]+before.runs())
		n.free = slices.DeleteFunc(n.free, func(f *podState) bool { return f == before })
	}
	n.slots[cmp.Or(slot, "name/"+p.Name)] = p
	if p.Failed {
		n.free = append(n.free, p)
		slices.SortStableFunc(n.free, func(a, b *podState) int { return a.EndedAt.Compare(b.EndedAt) })
	}
}

// runs returns the number of attempts of the pod: the most runs of a container. The restarts
// of a native sidecar are no attempts.
func (s *podState) runs() int {
	most := 1
	for _, c := range s.Containers {
		if !c.Native {
			most = max(most, c.Restarts+1)
		}
	}
	return most
}

// indexed matches the suffix that an indexed Job gives to the names of its pods.
var indexed = regexp.MustCompile(`^-([0-9]+)-[a-z0-9]{5}$`)

// slotOf identifies the replica of a pod, or returns "" if all pods of the job are alike.
func slotOf(p *podState) string {
	if t := p.Labels[replicaType]; t != "" {
		return "replica/" + t + "/" + p.Labels[replicaIndex]
	}
	if p.Owner.Kind == "Job" {
		index := p.Labels[indexLabel]
		if rest, ok := strings.CutPrefix(p.Name, p.Owner.Name); ok && index == "" {
			if m := indexed.FindStringSubmatch(rest); m != nil {
				index = m[1]
			}
		}
		if index != "" {
			return "job/" + p.Owner.Name + "/" + index
		}
	}
	if i := p.Labels[podIndexLabel]; i != "" {
		return "index/" + p.Owner.Name + "/" + i
	}
	return ""
}
